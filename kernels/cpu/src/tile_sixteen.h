// Two blocks of weights side by side in vectors of sixteen lanes, times eight rows of x. Every sum is the chain of tile.c,
// run after run, so it has the same bits. Included by tile.c where registers hold as much.
//
//   w:   | block b: rows 0-7 | block b + 1: rows 0-7 |      four codes of each, step by step
#ifndef DI_TILE_SIXTEEN_H
#define DI_TILE_SIXTEEN_H

#include "sixteen.h"

// As step_codes, of a run of either block.
static inline __attribute__((always_inline)) vb16 step_codes16(
    const uint8_t *low, const uint8_t *high, int bits, int step) {
    if (bits != 4) return vb16_of(step_codes(low, bits, step), step_codes(high, bits, step));
    int at = DI_VECTOR_BYTES * (step % 4);
    vb16 both = vb16_of(vb_load(low + at), vb_load(high + at));
    if (step >= 4) both = _mm512_srli_epi16(both, 4);
    return _mm512_and_si512(both, _mm512_set1_epi8(15));
}

static inline __attribute__((always_inline)) void two_blocks_times_rows(
    const uint8_t *low, const uint8_t *high, int num_groups, int runs_per_group, int bits, int has_minimum,
    const di_run_codes *x, ptrdiff_t x_stride, int num_rows, float *y, ptrdiff_t y_stride) {
    ptrdiff_t between = high - low;
    const uint8_t *end = high;
    vf16 totals[MAX_HANDFUL];
#pragma GCC unroll 8
    for (int r = 0; r < num_rows; r++) totals[r] = vf16_zero();
    for (int g = 0; g < num_groups; g++) {
        vf16 scale = vf16_of(vf_load_half((const uint16_t *)low), vf_load_half((const uint16_t *)(low + between)));
        vf16 minimum = scale;
        low += 2 * DI_BLOCK_ROWS;
        if (has_minimum) {
            minimum = vf16_of(vf_load_half((const uint16_t *)low), vf_load_half((const uint16_t *)(low + between)));
            low += 2 * DI_BLOCK_ROWS;
        }
        for (int run = 0; run < runs_per_group; run++, x++, low += DI_RUN * bits) {
            // Behind block b lies b + 1, which is at hand: at its end the next pair is asked for.
            const uint8_t *ahead = low + BYTES_AHEAD + (end - low <= BYTES_AHEAD ? between : 0);
            for (int byte = 0; byte < DI_RUN * bits + CACHE_LINE / 2; byte += CACHE_LINE) {
                __builtin_prefetch(ahead + byte, 0, 3);
                __builtin_prefetch(ahead + between + byte, 0, 3);
            }
            dot16 dots[MAX_HANDFUL];
#pragma GCC unroll 8
            for (int r = 0; r < num_rows; r++) dots[r] = dot16_zero();
#pragma GCC unroll 8
            for (int step = 0; step < 8; step++) {
                vb16 w = step_codes16(low, low + between, bits, step);
#pragma GCC unroll 8
                for (int r = 0; r < num_rows; r++)
                    dots[r] = dot16_add(dots[r], w, vb16_broadcast4(x[r * x_stride].codes + 4 * step));
            }
#pragma GCC unroll 8
            for (int r = 0; r < num_rows; r++) {
                const di_run_codes *codes_of_row = x + r * x_stride;
                totals[r] = vf16_add_run(totals[r], dot16_sums(dots[r]), scale, minimum,
                                         vf16_broadcast(&codes_of_row->scale), vf16_broadcast(&codes_of_row->offset),
                                         has_minimum);
            }
        }
    }
#pragma GCC unroll 8
    for (int r = 0; r < num_rows; r++) vf16_store(y + r * y_stride, totals[r]);
}

#endif
