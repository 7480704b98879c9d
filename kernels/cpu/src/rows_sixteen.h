// Four runs of a row to eight bits at a time, in vectors of sixteen lanes: their maxima and sums are found together. The
// arithmetic of quantise_run, hence its bits. Included by rows.c alone, where registers hold as much.
#ifndef DI_ROWS_SIXTEEN_H
#define DI_ROWS_SIXTEEN_H

#include "rows.h"
#include "sixteen.h"

enum { FOUR_RUNS = 4, VECTORS_PER_RUN = DI_RUN / SIXTEEN };

// Lane i of the result: all lanes of vector i, by a function of two vectors.
#define DI_OF_ALL_LANES(name, of_two)                                                                                 \
    static inline __m128i name(const __m512i a[FOUR_RUNS]) {                                                          \
        __m512i first = of_two(_mm512_unpacklo_epi32(a[0], a[1]), _mm512_unpackhi_epi32(a[0], a[1]));                 \
        __m512i last = of_two(_mm512_unpacklo_epi32(a[2], a[3]), _mm512_unpackhi_epi32(a[2], a[3]));                  \
        __m512i all = of_two(_mm512_unpacklo_epi64(first, last), _mm512_unpackhi_epi64(first, last));                 \
        all = of_two(all, _mm512_shuffle_i32x4(all, all, 0x4e));                                                      \
        return _mm512_castsi512_si128(of_two(all, _mm512_shuffle_i32x4(all, all, 0xb1)));                             \
    }
DI_OF_ALL_LANES(largest_of_each, _mm512_max_epi32)
DI_OF_ALL_LANES(sum_of_each, _mm512_add_epi32)
#undef DI_OF_ALL_LANES

static inline __m512i bits_of_magnitude(vf16 a) {
    return _mm512_and_si512(_mm512_castps_si512(a), _mm512_set1_epi32(0x7fffffff));
}

static inline vf16 read_sixteen(const float *x, int at, const row_norm *n) {
    vf16 a = vf16_load(x + at);
    if (n->bias) a = vf16_sub(a, vf16_set(n->mean));
    if (n->weight) a = vf16_mul(vf16_mul(a, vf16_set(n->inverse)), vf16_load(n->weight + at));
    if (n->bias) a = vf16_add(a, vf16_load(n->bias + at));
    return a;
}

// 0, and nothing done, if one of them is tiny or not all finite.
static inline int quantise_four_runs(const float *x, int column, const row_norm *n, float offset_factor,
                                     di_run_codes *runs) {
    vf16 numbers[FOUR_RUNS][VECTORS_PER_RUN];
    __m512i largest[FOUR_RUNS], sums[FOUR_RUNS];
    for (int i = 0; i < FOUR_RUNS; i++) {
        for (int j = 0; j < VECTORS_PER_RUN; j++)
            numbers[i][j] = read_sixteen(x, column + i * DI_RUN + j * SIXTEEN, n);
        largest[i] = _mm512_max_epi32(bits_of_magnitude(numbers[i][0]), bits_of_magnitude(numbers[i][1]));
    }
    __m128 magnitudes = _mm_castsi128_ps(largest_of_each(largest)), largest_code = _mm_set1_ps(LARGEST_CODE);
    __m128 are_ordinary = _mm_and_ps(_mm_cmpge_ps(magnitudes, _mm_set1_ps(TINY)),
                                     _mm_cmple_ps(magnitudes, _mm_set1_ps(LARGEST_FLOAT)));
    if (_mm_movemask_ps(are_ordinary) != 0xf) return 0;
    float inverses[FOUR_RUNS];
    _mm_storeu_ps(inverses, _mm_div_ps(largest_code, magnitudes));
    for (int i = 0; i < FOUR_RUNS; i++) {
        vf16 inverse = vf16_broadcast(&inverses[i]);
        __m512i low = _mm512_cvtps_epi32(vf16_mul(numbers[i][0], inverse));
        __m512i high = _mm512_cvtps_epi32(vf16_mul(numbers[i][1], inverse));
        _mm_storeu_si128((__m128i *)runs[i].codes, _mm512_cvtepi32_epi8(low));
        _mm_storeu_si128((__m128i *)(runs[i].codes + SIXTEEN), _mm512_cvtepi32_epi8(high));
        sums[i] = _mm512_add_epi32(low, high);
    }
    float scales[FOUR_RUNS], offsets[FOUR_RUNS];
    __m128 scale = _mm_div_ps(magnitudes, largest_code), sum = _mm_cvtepi32_ps(sum_of_each(sums));
    _mm_storeu_ps(scales, scale);
    _mm_storeu_ps(offsets, _mm_mul_ps(_mm_mul_ps(scale, sum), _mm_set1_ps(offset_factor)));
    for (int i = 0; i < FOUR_RUNS; i++) {
        runs[i].scale = scales[i];
        runs[i].offset = offsets[i];
    }
    return 1;
}

#endif
