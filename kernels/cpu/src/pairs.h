// Vectors of sixteen pairs: of int16, whose products are summed exactly, or of bfloat16 (AVX-512 with VNNI and BF16).
//
// Either kind multiplies and adds twice as many numbers per instruction as float32. Knows nothing of attention.
#ifndef DI_PAIRS_H
#define DI_PAIRS_H

#include "simd.h"
#include "sixteen.h"

typedef __m512i pairs;

enum { PAIR_BYTES = 4, PAIR_RUN = 2 * SIXTEEN }; // pair i of a run: its elements i and 16 + i

static inline pairs pairs_zero(void) { return _mm512_setzero_si512(); }
static inline pairs pairs_load(const void *p) { return _mm512_loadu_si512(p); }
static inline void pairs_store(void *p, pairs a) { _mm512_storeu_si512(p, a); }
static inline pairs pairs_and(pairs a, pairs b) { return _mm512_and_si512(a, b); }
static inline pairs pairs_set(uint32_t pair) { return _mm512_set1_epi32((int32_t)pair); }
static inline pairs pairs_broadcast(const void *p) {
    int32_t pair;
    memcpy(&pair, p, sizeof pair);
    return _mm512_set1_epi32(pair);
}

// Of int16: sums + a0 b0 + a1 b1, in 32 bits. In assembly, as compilers take two instructions for the intrinsic.
static inline pairs pairs_dot(pairs sums, pairs a, pairs b) {
    __asm__("vpdpwssd %2, %1, %0" : "+v"(sums) : "v"(a), "v"(b));
    return sums;
}
static inline pairs pairs_add(pairs a, pairs b) { return _mm512_add_epi32(a, b); }
static inline vf16 pairs_sums(pairs sums) { return _mm512_cvtepi32_ps(sums); }

// Of bfloat16, in float32.
static inline vf16 vf16_dot(vf16 sums, pairs a, pairs b) {
    return _mm512_dpbf16_ps(sums, (__m512bh)a, (__m512bh)b);
}

static inline vf16 vf16_abs(vf16 a) {
    return _mm512_castsi512_ps(_mm512_and_si512(_mm512_castps_si512(a), _mm512_set1_epi32(0x7fffffff)));
}
// Of magnitudes: the larger, or NaN where either is NaN. As integers their bits have the same order.
static inline vf16 vf16_max_magnitude(vf16 a, vf16 b) {
    return _mm512_castsi512_ps(_mm512_max_epi32(_mm512_castps_si512(a), _mm512_castps_si512(b)));
}
static inline float vf16_largest(vf16 magnitudes) {
    return _mm_cvtss_f32(_mm_castsi128_ps(_mm_cvtsi32_si128(_mm512_reduce_max_epi32(_mm512_castps_si512(magnitudes)))));
}
static inline float vf16_sum(vf16 a) { return _mm512_reduce_add_ps(a); }

// 0 in the other lanes.
static inline vf16 vf16_keep(vf16 a, __mmask16 lanes) { return _mm512_maskz_mov_ps(lanes, a); }

// Low halves of the lanes of each, those of `low` first in a pair.
static inline pairs pairs_of_low_halves(pairs low, pairs high) {
    return _mm512_mask_blend_epi16(0xaaaaaaaau, low, _mm512_slli_epi32(high, 16));
}

static inline vf pairs_low(pairs a) { return _mm256_castsi256_ps(_mm512_castsi512_si256(a)); }
static inline vf pairs_high(pairs a) { return _mm256_castsi256_ps(_mm512_extracti64x4_epi64(a, 1)); }

enum { QUARTERS = 4 };

// Within each quarter of four vectors: lane i of vector j to lane j of vector i.
static inline void pairs_transpose_quarters(pairs a[QUARTERS]) {
    pairs low = _mm512_unpacklo_epi32(a[0], a[1]), high = _mm512_unpackhi_epi32(a[0], a[1]);
    pairs next_low = _mm512_unpacklo_epi32(a[2], a[3]), next_high = _mm512_unpackhi_epi32(a[2], a[3]);
    a[0] = _mm512_unpacklo_epi64(low, next_low);
    a[1] = _mm512_unpackhi_epi64(low, next_low);
    a[2] = _mm512_unpacklo_epi64(high, next_high);
    a[3] = _mm512_unpackhi_epi64(high, next_high);
}

// Four vectors, of which the j-th has lane j of each quarter four times.
static inline void pairs_store_spread(float *p, pairs a) {
    pairs_store(p, _mm512_shuffle_epi32(a, 0x00));
    pairs_store(p + SIXTEEN, _mm512_shuffle_epi32(a, 0x55));
    pairs_store(p + 2 * SIXTEEN, _mm512_shuffle_epi32(a, 0xaa));
    pairs_store(p + 3 * SIXTEEN, _mm512_shuffle_epi32(a, 0xff));
}

// The i-th quarter: the sum of the i-th vector's quarters, of int32.
static inline pairs pairs_sums_of_quarters(const pairs a[QUARTERS]) {
    pairs low = pairs_add(_mm512_shuffle_i32x4(a[0], a[1], 0x44), _mm512_shuffle_i32x4(a[0], a[1], 0xee));
    pairs high = pairs_add(_mm512_shuffle_i32x4(a[2], a[3], 0x44), _mm512_shuffle_i32x4(a[2], a[3], 0xee));
    return pairs_add(_mm512_shuffle_i32x4(low, high, 0x88), _mm512_shuffle_i32x4(low, high, 0xdd));
}

// Numbers times a factor, rounded to int16: beside 1.5 * 2**23 a sum is rounded to a whole number, which its lowest bits
// hold.
static inline pairs pairs_rounded(vf16 low, vf16 high, vf16 factor) {
    vf16 shift = _mm512_set1_ps(0x1.8p23f);
    return pairs_of_low_halves(_mm512_castps_si512(vf16_fma(low, factor, shift)),
                               _mm512_castps_si512(vf16_fma(high, factor, shift)));
}

// Numbers rounded to bfloat16.
static inline pairs pairs_bfloat16(vf16 low, vf16 high) {
    __m512i order = _mm512_set_epi16(31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24, 8,
                                     23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
    return _mm512_permutexvar_epi16(order, (__m512i)_mm512_cvtne2ps_pbh(high, low));
}

// Sixteen floats rounded to bfloat16.
static inline void store_bfloat16(uint16_t *p, vf16 a) {
    _mm256_storeu_si256((__m256i *)p, (__m256i)_mm512_cvtneps_pbh(a));
}

// The first `count` lanes; none where it is negative.
static inline __mmask32 first_lanes(int count) {
    return count >= PAIR_RUN ? 0xffffffffu : count <= 0 ? 0 : (1u << count) - 1;
}
static inline vf16 vf16_load_half(const uint16_t *p, __mmask16 lanes) {
    return _mm512_cvtph_ps(_mm256_maskz_loadu_epi16(lanes, p));
}
static inline pairs load_codes(const int8_t *p, __mmask16 lanes) {
    return _mm512_cvtepi8_epi32(_mm_maskz_loadu_epi8(lanes, p));
}

// The larger magnitudes of `largest` and of 32 half floats, as half floats; a NaN is larger than all.
static inline pairs larger_halves(pairs largest, const uint16_t *p, __mmask32 lanes) {
    return _mm512_max_epu16(largest, _mm512_and_si512(_mm512_maskz_loadu_epi16(lanes, p), _mm512_set1_epi16(0x7fff)));
}
// The larger of a pair and the one eight lanes on.
static inline vf half_of_halves(pairs a) {
    return _mm256_castsi256_ps(_mm256_max_epu16(_mm512_castsi512_si256(a), _mm512_extracti64x4_epi64(a, 1)));
}
// The largest of the half floats in each vector; that of vector i in lane i.
static inline vf largest_halves(vf a[VF_LANES]) {
    vf_transpose(a);
    __m256i largest = _mm256_castps_si256(a[0]);
    for (int i = 1; i < VF_LANES; i++) largest = _mm256_max_epu16(largest, _mm256_castps_si256(a[i]));
    largest = _mm256_max_epu16(largest, _mm256_srli_epi32(largest, 16));
    return _mm256_cvtph_ps(_mm256_cvtepi32_epi16(largest));
}

#endif
