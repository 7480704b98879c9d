// The product of four blocks of weights with many rows of x: codes are unpacked once for all of them, and the blocks stand
// side by side. Every sum is the chain of tile.c, run after run, so it has the same bits.
//
//   panel:   columns of 32 weight rows, as many as stay in the first-level cache
//   codes:   128 bytes a step, one code a byte:  | row 0: b0 b1 b2 b3 | row 1: b0 b1 b2 b3 | ... | row 31 |
//   scales:  32 float32 a group, and as many minima
//
// Six rows of x by two vectors of sixteen weight rows are in registers: a code of x is loaded once for both.
// Only where registers hold sixteen lanes: for shorter ones it has not been tried.
#include "panel.h"

#include "activation.h"
#include "dot.h"
#include "kernels.h"
#include "rows.h"

#if defined(__AVX512VNNI__)

#include "sixteen.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

enum {
    STEPS = 8,
    STEP_BYTES = 4 * DI_PANEL_ROWS,
    LARGEST_HANDFUL = 6,
    VECTORS = DI_PANEL_ROWS / SIXTEEN,
    CACHE_LINE = 64,
    BYTES_AHEAD = 4096, // weights are asked for so far ahead of their use
};

// A block's part of some groups, to a place beside the others.
ALWAYS_INLINE void unpack_block(const di_weight *w, int block, int place, int first_group, int num_groups, int bits,
                                int has_minimum, di_panel *panel) {
    const uint8_t *from = di_group_at(w, block, first_group);
    int runs_per_group = w->group_size / DI_RUN;
    uint8_t *codes = panel->codes + place * DI_VECTOR_BYTES;
    for (int g = 0; g < num_groups; g++) {
        int at = g * DI_PANEL_ROWS + place * DI_BLOCK_ROWS;
        vf_store(panel->scales + at, vf_load_half((const uint16_t *)from));
        from += 2 * DI_BLOCK_ROWS;
        if (has_minimum) {
            vf_store(panel->minima + at, vf_load_half((const uint16_t *)from));
            from += 2 * DI_BLOCK_ROWS;
        }
        for (int run = 0; run < runs_per_group; run++, from += DI_RUN * bits) {
            for (int byte = 0; byte < DI_RUN * bits + CACHE_LINE / 2; byte += CACHE_LINE)
                __builtin_prefetch(from + BYTES_AHEAD + byte, 0, 3);
#pragma GCC unroll 8
            for (int step = 0; step < STEPS; step++, codes += STEP_BYTES)
                _mm256_storeu_si256((__m256i *)codes, step_codes(from, bits, step));
        }
    }
}

static vf16 silu16(vf16 a) {
    return vf16_div(a, vf16_add(vf16_set(1.0f), vf16_exp(vf16_sub(vf16_zero(), a))));
}

ALWAYS_INLINE vf16 activated16(vf16 a, int activation) {
    if (activation == DI_SILU) return silu16(a);
    return vf16_of(activated(vf16_low(a), activation), activated(vf16_high(a), activation));
}

ALWAYS_INLINE void finish_rows(const di_finish *to, int first_row, int end_row, const float *products, int activation) {
    for (int column = 0; column < to->num_columns; column += SIXTEEN) {
        __mmask16 lanes = vf16_first_lanes(to->num_columns - column);
        vf16 bias = to->bias ? vf16_load_lanes(to->bias + column, lanes) : vf16_zero();
        for (int row = first_row; row < end_row; row++) {
            ptrdiff_t from = row * DI_PANEL_ROWS + column, at = row * to->stride + column;
            vf16 value = vf16_load(products + from);
            if (to->gate) {
                value = vf16_mul(activated16(vf16_load(to->gate + from), activation), value);
            } else {
                if (to->bias) value = vf16_add(value, bias);
                if (to->residual) value = vf16_add(vf16_load_lanes(to->residual + at, lanes), value);
                if (activation) value = activated16(value, activation);
            }
            vf16_store_lanes(to->y + at, value, lanes);
        }
    }
}

static __attribute__((noinline)) void finish(const di_finish *to, int first_row, int end_row, const float *products) {
    switch (to->activation) {
    case 0: finish_rows(to, first_row, end_row, products, 0); break;
    case DI_SILU: finish_rows(to, first_row, end_row, products, DI_SILU); break;
    default: finish_rows(to, first_row, end_row, products, to->activation);
    }
}

// Where products go is there by the time that they are.
ALWAYS_INLINE void ask_for(const di_finish *to, int first_row, int num_rows) {
    for (int row = first_row; row < first_row + num_rows; row++)
        for (int column = 0; column < DI_PANEL_ROWS; column += SIXTEEN)
            __builtin_prefetch(to->y + row * to->stride + column, 1, 3);
}

// The panel's weight rows times a handful of rows of x, over its columns; continues the sums in `products` unless
// `is_first`.
ALWAYS_INLINE void panel_times_rows(
    const di_panel *panel, int num_groups, int runs_per_group, int has_minimum, int is_first, const di_run_codes *x,
    ptrdiff_t x_stride, int num_rows, float *products) {
    vf16 totals[LARGEST_HANDFUL][VECTORS];
#pragma GCC unroll 6
    for (int r = 0; r < num_rows; r++)
#pragma GCC unroll 2
        for (int v = 0; v < VECTORS; v++)
            totals[r][v] = is_first ? vf16_zero() : vf16_load(products + r * DI_PANEL_ROWS + v * SIXTEEN);
    const uint8_t *codes = panel->codes;
    for (int g = 0; g < num_groups; g++)
        for (int run = 0; run < runs_per_group; run++, x++) {
            dot16 dots[LARGEST_HANDFUL][VECTORS];
#pragma GCC unroll 6
            for (int r = 0; r < num_rows; r++)
#pragma GCC unroll 2
                for (int v = 0; v < VECTORS; v++) dots[r][v] = dot16_zero();
#pragma GCC unroll 8
            for (int step = 0; step < STEPS; step++, codes += STEP_BYTES) {
                vb16 w[VECTORS];
#pragma GCC unroll 2
                for (int v = 0; v < VECTORS; v++) w[v] = vb16_load(codes + v * SIXTEEN_BYTES);
#pragma GCC unroll 6
                for (int r = 0; r < num_rows; r++) {
                    vb16 four = vb16_in_register(vb16_broadcast4(x[r * x_stride].codes + 4 * step));
#pragma GCC unroll 2
                    for (int v = 0; v < VECTORS; v++) dots[r][v] = dot16_add(dots[r][v], w[v], four);
                }
            }
            vf16 scale[VECTORS], minimum[VECTORS];
#pragma GCC unroll 2
            for (int v = 0; v < VECTORS; v++) {
                scale[v] = vf16_load(panel->scales + g * DI_PANEL_ROWS + v * SIXTEEN);
                minimum[v] = vf16_load(panel->minima + g * DI_PANEL_ROWS + v * SIXTEEN);
            }
#pragma GCC unroll 6
            for (int r = 0; r < num_rows; r++) {
                const di_run_codes *of_row = x + r * x_stride;
                vf16 x_scale = vf16_broadcast(&of_row->scale), x_offset = vf16_broadcast(&of_row->offset);
#pragma GCC unroll 2
                for (int v = 0; v < VECTORS; v++)
                    totals[r][v] = vf16_add_run(
                        totals[r][v], dot16_sums(dots[r][v]), scale[v], minimum[v], x_scale, x_offset, has_minimum);
            }
        }
#pragma GCC unroll 6
    for (int r = 0; r < num_rows; r++)
#pragma GCC unroll 2
        for (int v = 0; v < VECTORS; v++)
            vf16_store(products + r * DI_PANEL_ROWS + v * SIXTEEN, totals[r][v]);
}

ALWAYS_INLINE void panel_times_all(
    const di_panel *panel, int num_groups, int runs_per_group, int has_minimum, int is_first, const di_run_codes *x,
    ptrdiff_t x_stride, int num_rows, float *products, const di_finish *to) {
    int row = 0;
#define DI_HANDFUL(handful)                                                                                           \
    for (; row + (handful) <= num_rows; row += (handful)) {                                                           \
        if (to) ask_for(to, row, handful);                                                                            \
        panel_times_rows(panel, num_groups, runs_per_group, has_minimum, is_first, x + row * x_stride, x_stride,      \
                         handful, products + row * DI_PANEL_ROWS);                                                    \
        if (to) finish(to, row, row + (handful), products);                                                           \
    }
    DI_HANDFUL(6)
    DI_HANDFUL(4)
    DI_HANDFUL(2)
    DI_HANDFUL(1)
#undef DI_HANDFUL
}

ALWAYS_INLINE void multiply(const di_weight *w, int first_block, int num_blocks, int part, int bits, int has_minimum,
                            const di_run_codes *x, int num_rows, float *products, const di_finish *to,
                            di_panel *panel) {
    ptrdiff_t x_stride = w->num_columns / DI_RUN;
    int runs_per_group = w->group_size / DI_RUN, num_groups = w->num_columns / w->group_size;
    int most_groups = DI_PANEL_COLUMNS / w->group_size, first = part * most_groups;
    int count = num_groups - first < most_groups ? num_groups - first : most_groups;
    // where there are fewer, the last one stands there several times
    for (int place = 0; place < DI_PANEL_BLOCKS; place++)
        unpack_block(w, first_block + (place < num_blocks ? place : num_blocks - 1), place, first, count, bits,
                     has_minimum, panel);
    x += first * runs_per_group;
    if (runs_per_group == 1)
        panel_times_all(panel, count, 1, has_minimum, part == 0, x, x_stride, num_rows, products, to);
    else
        panel_times_all(panel, count, runs_per_group, has_minimum, part == 0, x, x_stride, num_rows, products, to);
}

#define DI_PANEL(bits, has_minimum)                                                                                   \
    static void panel_##bits##_##has_minimum(                                                                         \
        const di_weight *w, int first_block, int num_blocks, int part, const struct di_run_codes *x, int num_rows,    \
        float *products, const di_finish *to, di_panel *panel) {                                                      \
        multiply(w, first_block, num_blocks, part, bits, has_minimum, x, num_rows, products, to, panel);              \
    }

DI_PANEL(3, 0)
DI_PANEL(3, 1)
DI_PANEL(4, 0)
DI_PANEL(4, 1)
DI_PANEL(5, 0)
DI_PANEL(5, 1)
DI_PANEL(8, 0)
DI_PANEL(8, 1)

di_panel_function *const DI_NAME(di_panels)[DI_NUM_BITS][2] = {
    {panel_3_0, panel_3_1}, {panel_4_0, panel_4_1}, {panel_5_0, panel_5_1}, {panel_8_0, panel_8_1}};

#else

di_panel_function *const DI_NAME(di_panels)[DI_NUM_BITS][2] = {{0}};

#endif
