// vf on x86-64 with AVX2, FMA and F16C.
#ifndef DI_SIMD_X86_H
#define DI_SIMD_X86_H

#include <immintrin.h>

typedef __m256 vf;

static inline vf vf_zero(void) { return _mm256_setzero_ps(); }
static inline vf vf_set(float a) { return _mm256_set1_ps(a); }
static inline vf vf_load(const float *p) { return _mm256_loadu_ps(p); }
static inline void vf_store(float *p, vf a) { _mm256_storeu_ps(p, a); }
static inline vf vf_broadcast(const float *p) { return _mm256_broadcast_ss(p); }
static inline vf vf_add(vf a, vf b) { return _mm256_add_ps(a, b); }
static inline vf vf_sub(vf a, vf b) { return _mm256_sub_ps(a, b); }
static inline vf vf_mul(vf a, vf b) { return _mm256_mul_ps(a, b); }
static inline vf vf_div(vf a, vf b) { return _mm256_div_ps(a, b); }
// a * b + c, rounded once
static inline vf vf_fma(vf a, vf b, vf c) { return _mm256_fmadd_ps(a, b, c); }
// b where either is NaN
static inline vf vf_min(vf a, vf b) { return _mm256_min_ps(a, b); }
static inline vf vf_max(vf a, vf b) { return _mm256_max_ps(a, b); }
static inline vf vf_abs(vf a) { return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a); }
static inline vf vf_round(vf a) { return _mm256_round_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }

// 2**n of whole n in [-126, 127] in the lowest bits.
static inline vf vf_pow2_of_low_bits(vf a) {
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_add_epi32(_mm256_castps_si256(a), _mm256_set1_epi32(127)), 23));
}

// [a0+a2, b0+b2, a1+a3, b1+b3] of each half. Adding neighbours instead is recognised as hadd_ps, which is slow.
static inline __m256 vf_add_apart(__m256 a, __m256 b) {
    return _mm256_add_ps(_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b));
}
// p[i] = sum of the i-th vector's lanes, each in the order ((0+2)+(1+3)) + ((4+6)+(5+7)).
static inline void vf_store_4_sums(float *p, vf a, vf b, vf c, vf d) {
    __m256d ab = _mm256_castps_pd(vf_add_apart(a, b)), cd = _mm256_castps_pd(vf_add_apart(c, d));
    __m256 sums = _mm256_add_ps(
        _mm256_castpd_ps(_mm256_unpacklo_pd(ab, cd)), _mm256_castpd_ps(_mm256_unpackhi_pd(ab, cd)));
    _mm_storeu_ps(p, _mm_add_ps(_mm256_castps256_ps128(sums), _mm256_extractf128_ps(sums, 1)));
}

// Lane i of vector j to lane j of vector i.
static inline void vf_transpose(vf a[8]) {
    vf pairs[8], fours[8];
    for (int i = 0; i < 8; i += 2) {
        pairs[i] = _mm256_unpacklo_ps(a[i], a[i + 1]);
        pairs[i + 1] = _mm256_unpackhi_ps(a[i], a[i + 1]);
    }
    for (int i = 0; i < 8; i += 4)
        for (int j = 0; j < 2; j++) {
            fours[i + 2 * j] = _mm256_shuffle_ps(pairs[i + j], pairs[i + 2 + j], 0x44);
            fours[i + 2 * j + 1] = _mm256_shuffle_ps(pairs[i + j], pairs[i + 2 + j], 0xee);
        }
    for (int i = 0; i < 4; i++) {
        a[i] = _mm256_permute2f128_ps(fours[i], fours[i + 4], 0x20);
        a[i + 4] = _mm256_permute2f128_ps(fours[i], fours[i + 4], 0x31);
    }
}

// Eight IEEE half floats.
static inline vf vf_load_half(const uint16_t *p) { return _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)p)); }
// Eight signed bytes.
static inline vf vf_load_bytes(const int8_t *p) {
    return _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)p)));
}
static inline void vf_store_half(uint16_t *p, vf a) {
    _mm_storeu_si128((__m128i *)p, _mm256_cvtps_ph(a, _MM_FROUND_TO_NEAREST_INT));
}

// Lane i to lane i ^ distance, for a distance of 1, 2 or 4.
static inline vf vf_swap_1(vf a) { return _mm256_permute_ps(a, 0xb1); }
static inline vf vf_swap_2(vf a) { return _mm256_permute_ps(a, 0x4e); }
static inline vf vf_swap_4(vf a) { return _mm256_permute2f128_ps(a, a, 0x01); }

// Of magnitudes (no sign bit): the larger, or NaN where either is NaN. As integers their bits have the same order.
static inline vf vf_max_magnitude(vf a, vf b) {
    return _mm256_castsi256_ps(_mm256_max_epi32(_mm256_castps_si256(a), _mm256_castps_si256(b)));
}

// Whole numbers in [-128, 127] to 32 bytes, in order.
static inline void vf_store_bytes(int8_t *p, vf a, vf b, vf c, vf d) {
    __m256i ab = _mm256_packs_epi32(_mm256_cvtps_epi32(a), _mm256_cvtps_epi32(b));
    __m256i cd = _mm256_packs_epi32(_mm256_cvtps_epi32(c), _mm256_cvtps_epi32(d));
    // the packs work in each half: fours of a b c d | a b c d
    __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    _mm256_storeu_si256((__m256i *)p, _mm256_permutevar8x32_epi32(_mm256_packs_epi16(ab, cd), order));
}

#endif
