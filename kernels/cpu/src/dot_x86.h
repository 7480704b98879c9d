// Byte vectors and dot products on x86-64: AVX2, or with VNNI's instruction in either of its encodings.
#ifndef DI_DOT_X86_H
#define DI_DOT_X86_H

typedef __m256i vb;

static inline vb vb_load(const uint8_t *p) { return _mm256_loadu_si256((const __m256i *)p); }
static inline vb vb_and(vb a, int mask) { return _mm256_and_si256(a, _mm256_set1_epi8((char)mask)); }
static inline vb vb_or(vb a, vb b) { return _mm256_or_si256(a, b); }
// Shifts of 16 bits: bits cross from one byte into its neighbour, so the result is masked by the caller.
#define vb_shift_right(a, count) _mm256_srli_epi16(a, count)
#define vb_shift_left(a, count) _mm256_slli_epi16(a, count)
static inline vb vb_high_nibbles(vb a) { return vb_and(_mm256_srli_epi16(a, 4), 15); }

// Four codes of x, for each of the eight rows.
static inline vb vb_broadcast4(const int8_t *codes) {
    int32_t four;
    __builtin_memcpy(&four, codes, sizeof four);
    return _mm256_set1_epi32(four);
}

typedef __m256i dot_narrow;

#if defined(__AVX512VNNI__) || defined(__AVXVNNI__)

#if defined(__AVX512VNNI__)
#define DI_DPBUSD _mm256_dpbusd_epi32
#else
#define DI_DPBUSD _mm256_dpbusd_avx_epi32
#endif

typedef __m256i dot_wide;

static inline dot_narrow dot_narrow_zero(void) { return _mm256_setzero_si256(); }
static inline dot_narrow dot_narrow_add(dot_narrow sums, vb w, vb x) { return DI_DPBUSD(sums, w, x); }
static inline vf dot_narrow_sums(dot_narrow sums) { return _mm256_cvtepi32_ps(sums); }
static inline dot_wide dot_wide_zero(void) { return _mm256_setzero_si256(); }
static inline dot_wide dot_wide_add(dot_wide sums, vb w, vb x) { return DI_DPBUSD(sums, w, x); }
static inline vf dot_wide_sums(dot_wide sums) { return _mm256_cvtepi32_ps(sums); }

#else

// Sixteen int16 sums of two products a step: after eight steps at most 16 * 15 * 127 = 30480.
static inline dot_narrow dot_narrow_zero(void) { return _mm256_setzero_si256(); }
static inline dot_narrow dot_narrow_add(dot_narrow sums, vb w, vb x) {
    return _mm256_add_epi16(sums, _mm256_maddubs_epi16(w, x));
}
static inline vf dot_narrow_sums(dot_narrow sums) {
    return _mm256_cvtepi32_ps(_mm256_madd_epi16(sums, _mm256_set1_epi16(1)));
}

// So many products of wider codes do not fit int16: the two nibbles of a code are summed apart.
typedef struct dot_wide {
    __m256i low, high;
} dot_wide;

static inline dot_wide dot_wide_zero(void) { return (dot_wide){_mm256_setzero_si256(), _mm256_setzero_si256()}; }
static inline dot_wide dot_wide_add(dot_wide sums, vb w, vb x) {
    sums.low = dot_narrow_add(sums.low, vb_and(w, 15), x);
    sums.high = dot_narrow_add(sums.high, vb_high_nibbles(w), x);
    return sums;
}
static inline vf dot_wide_sums(dot_wide sums) {
    __m256i low = _mm256_madd_epi16(sums.low, _mm256_set1_epi16(1));
    return _mm256_cvtepi32_ps(_mm256_add_epi32(low, _mm256_madd_epi16(sums.high, _mm256_set1_epi16(16))));
}

#endif

#endif
