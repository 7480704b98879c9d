// The product of some blocks of weights with many rows of x: codes are unpacked once for all of them, and two blocks
// stand side by side. Every sum is the chain of tile.c, run after run, so it has the same bits.
//
//   panel:   columns of sixteen weight rows, as many as stay in the first-level cache
//   codes:   64 bytes a step, one code a byte:  | row 0: b0 b1 b2 b3 | row 1: b0 b1 b2 b3 | ... | row 15 |
//   scales:  16 float32 a group, and as many minima
//
// Only where registers hold sixteen lanes: for shorter ones it has not been tried.
#include "panel.h"

#include "dot.h"
#include "kernels.h"
#include "rows.h"

#if defined(__AVX512VNNI__)

#include "sixteen.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

enum {
    STEPS = 8,
    LARGEST_HANDFUL = 8,
    CACHE_LINE = 64,
    BYTES_AHEAD = 4096, // weights are asked for so far ahead of their use
};

// One block's part of some groups.
ALWAYS_INLINE void unpack_block(const di_weight *w, int block, int half, int first_group, int num_groups, int bits,
                                int has_minimum, di_panel *panel) {
    const uint8_t *from = di_group_at(w, block, first_group);
    int runs_per_group = w->group_size / DI_RUN;
    uint8_t *codes = panel->codes + half * DI_VECTOR_BYTES;
    for (int g = 0; g < num_groups; g++) {
        int at = g * SIXTEEN + half * DI_BLOCK_ROWS;
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
            for (int step = 0; step < STEPS; step++, codes += SIXTEEN_BYTES)
                _mm256_storeu_si256((__m256i *)codes, step_codes(from, bits, step));
        }
    }
}

// Sixteen weight rows times num_rows rows of x, over the panel's columns; continues the sums in y unless `is_first`.
ALWAYS_INLINE void panel_times_rows(
    const di_panel *panel, int num_groups, int runs_per_group, int has_minimum, int is_first, const di_run_codes *x,
    ptrdiff_t x_stride, int num_rows, float *y, ptrdiff_t y_stride) {
    vf16 totals[LARGEST_HANDFUL];
#pragma GCC unroll 8
    for (int r = 0; r < num_rows; r++) totals[r] = is_first ? vf16_zero() : vf16_load(y + r * y_stride);
    const uint8_t *codes = panel->codes;
    for (int g = 0; g < num_groups; g++) {
        vf16 scale = vf16_load(panel->scales + g * SIXTEEN), minimum = vf16_load(panel->minima + g * SIXTEEN);
        for (int run = 0; run < runs_per_group; run++, x++) {
            dot16 dots[LARGEST_HANDFUL];
#pragma GCC unroll 8
            for (int r = 0; r < num_rows; r++) dots[r] = dot16_zero();
#pragma GCC unroll 8
            for (int step = 0; step < STEPS; step++, codes += SIXTEEN_BYTES) {
                vb16 w = vb16_load(codes);
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

ALWAYS_INLINE void panel_times_all(
    const di_panel *panel, int num_groups, int runs_per_group, int has_minimum, int is_first, const di_run_codes *x,
    ptrdiff_t x_stride, int num_rows, float *y, ptrdiff_t y_stride) {
#define DI_HANDFUL(handful)                                                                                           \
    for (; num_rows >= (handful); num_rows -= (handful), x += (handful) * x_stride, y += (handful) * y_stride)        \
        panel_times_rows(panel, num_groups, runs_per_group, has_minimum, is_first, x, x_stride, handful, y, y_stride);
    DI_HANDFUL(8)
    DI_HANDFUL(4)
    DI_HANDFUL(2)
    DI_HANDFUL(1)
#undef DI_HANDFUL
}

ALWAYS_INLINE void multiply(const di_weight *w, int first_block, int num_blocks, int bits, int has_minimum,
                            const di_run_codes *x, int num_rows, float *y, ptrdiff_t y_stride, di_panel *panel) {
    ptrdiff_t x_stride = w->num_columns / DI_RUN;
    int runs_per_group = w->group_size / DI_RUN, num_groups = w->num_columns / w->group_size;
    int most_groups = DI_PANEL_COLUMNS / w->group_size;
    // x's part of a panel's columns stays in the second-level cache while all blocks pass it
    for (int first = 0; first < num_groups; first += most_groups) {
        int count = num_groups - first < most_groups ? num_groups - first : most_groups;
        const di_run_codes *part = x + first * runs_per_group;
        for (int b = 0; b < num_blocks; b += 2) {
            unpack_block(w, first_block + b, 0, first, count, bits, has_minimum, panel);
            // beside a last block by itself it stands once more
            unpack_block(w, first_block + (b + 1 < num_blocks ? b + 1 : b), 1, first, count, bits, has_minimum, panel);
            float *to = y + DI_BLOCK_ROWS * b;
            if (runs_per_group == 1)
                panel_times_all(panel, count, 1, has_minimum, first == 0, part, x_stride, num_rows, to, y_stride);
            else
                panel_times_all(
                    panel, count, runs_per_group, has_minimum, first == 0, part, x_stride, num_rows, to, y_stride);
        }
    }
}

#define DI_PANEL(bits, has_minimum)                                                                                   \
    static void panel_##bits##_##has_minimum(                                                                         \
        const di_weight *w, int first_block, int num_blocks, const struct di_run_codes *x, int num_rows, float *y,    \
        ptrdiff_t y_stride, di_panel *panel) {                                                                        \
        multiply(w, first_block, num_blocks, bits, has_minimum, x, num_rows, y, y_stride, panel);                     \
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
