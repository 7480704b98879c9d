// The product of some blocks of weights with some rows of x: all of a linear's arithmetic. Knows nothing of threads.
//
// Each of a tile's sums is one chain over the runs of K in order, the same for one row as for many: that is what makes
// a row's result independent of its company.
#include "dot.h"
#include "kernels.h"
#include "rows.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

// So many rows of x share the unpacked codes. Where there are 16 vector registers, more than four rows spill, which only
// pays for 3-bit codes: they take longest to unpack.
enum { MAX_HANDFUL = 8 };
#if defined(__AVX512VNNI__) || defined(__aarch64__) // 32 vector registers
#define DI_LARGEST_HANDFUL(bits) 8
#else
#define DI_LARGEST_HANDFUL(bits) ((bits) == 3 ? 8 : 4)
#endif

enum {
    CACHE_LINE = 64,
    // So far ahead of their use weights are asked for. With one row the processor's own prefetching keeps up, and
    // further instructions hold it up (a tenth slower); with more rows, weights came late without being asked for.
    BYTES_AHEAD = 2048,
    FEWEST_ROWS_ASKING = 2,
};

// One run: sums[r] = (scale * sum(q codes)) of eight weight rows, for num_rows rows of x.
ALWAYS_INLINE void narrow_run(
    const uint8_t *run, int bits, const di_run_codes *x, ptrdiff_t x_stride, int num_rows, vf *sums) {
    dot_narrow dots[MAX_HANDFUL];
#pragma GCC unroll 8
    for (int r = 0; r < num_rows; r++) dots[r] = dot_narrow_zero();
#pragma GCC unroll 8
    for (int step = 0; step < 8; step++) {
        vb w = step_codes(run, bits, step);
#pragma GCC unroll 8
        for (int r = 0; r < num_rows; r++)
            dots[r] = dot_narrow_add(dots[r], w, vb_broadcast4(x[r * x_stride].codes + 4 * step));
    }
#pragma GCC unroll 8
    for (int r = 0; r < num_rows; r++) sums[r] = dot_narrow_sums(dots[r]);
}

ALWAYS_INLINE void wide_run(
    const uint8_t *run, int bits, const di_run_codes *x, ptrdiff_t x_stride, int num_rows, vf *sums) {
    dot_wide dots[MAX_HANDFUL];
#pragma GCC unroll 8
    for (int r = 0; r < num_rows; r++) dots[r] = dot_wide_zero();
#pragma GCC unroll 8
    for (int step = 0; step < 8; step++) {
        vb w = step_codes(run, bits, step);
#pragma GCC unroll 8
        for (int r = 0; r < num_rows; r++)
            dots[r] = dot_wide_add(dots[r], w, vb_broadcast4(x[r * x_stride].codes + 4 * step));
    }
#pragma GCC unroll 8
    for (int r = 0; r < num_rows; r++) sums[r] = dot_wide_sums(dots[r]);
}

// Eight weight rows times num_rows rows of x, over all of K. Everything but the pointers is constant where it is used.
ALWAYS_INLINE void block_times_rows(
    const uint8_t *group, int num_groups, int runs_per_group, int bits, int has_minimum,
    const di_run_codes *x, ptrdiff_t x_stride, int num_rows, float *y, ptrdiff_t y_stride) {
    vf totals[MAX_HANDFUL];
#pragma GCC unroll 8
    for (int r = 0; r < num_rows; r++) totals[r] = vf_zero();
    for (int g = 0; g < num_groups; g++) {
        vf scale = vf_load_half((const uint16_t *)group), minimum = scale;
        group += 2 * DI_BLOCK_ROWS;
        if (has_minimum) {
            minimum = vf_load_half((const uint16_t *)group);
            group += 2 * DI_BLOCK_ROWS;
        }
        for (int run = 0; run < runs_per_group; run++) {
            vf sums[MAX_HANDFUL];
            if (num_rows >= FEWEST_ROWS_ASKING)
                for (int byte = 0; byte < DI_RUN * bits + CACHE_LINE / 2; byte += CACHE_LINE)
                    __builtin_prefetch(group + BYTES_AHEAD + byte, 0, 3);
            if (bits > 4)
                wide_run(group, bits, x, x_stride, num_rows, sums);
            else
                narrow_run(group, bits, x, x_stride, num_rows, sums);
#pragma GCC unroll 8
            for (int r = 0; r < num_rows; r++) {
                vf x_scale = vf_broadcast(&x[r * x_stride].scale), offset = vf_broadcast(&x[r * x_stride].offset);
                if (has_minimum) {
                    totals[r] = vf_fma(scale, vf_mul(sums[r], x_scale), totals[r]);
                    totals[r] = vf_fma(minimum, offset, totals[r]);
                } else {
                    totals[r] = vf_fma(scale, vf_fma(sums[r], x_scale, offset), totals[r]);
                }
            }
            group += DI_RUN * bits;
            x++;
        }
    }
#pragma GCC unroll 8
    for (int r = 0; r < num_rows; r++) vf_store(y + r * y_stride, totals[r]);
}

#if defined(__AVX512VNNI__)
#include "tile_sixteen.h"
#define DI_HAS_SIXTEEN 1
#else
#define DI_HAS_SIXTEEN 0
#endif

ALWAYS_INLINE void blocks_times_rows(
    const di_weight *w, int first_block, int num_blocks, int runs_per_group, int bits, int has_minimum,
    const di_run_codes *x, ptrdiff_t x_stride, int num_rows, float *y, ptrdiff_t y_stride) {
    int num_groups = w->num_columns / w->group_size, b = 0;
#if DI_HAS_SIXTEEN
    int num_paired = num_rows == MAX_HANDFUL && di_has_whole_vectors() ? num_blocks / 2 * 2 : 0;
    for (; b < num_paired; b += 2)
        two_blocks_times_rows(
            di_group_at(w, first_block + b, 0), di_group_at(w, first_block + b + 1, 0), num_groups, runs_per_group, bits,
            has_minimum, x, x_stride, num_rows, y + DI_BLOCK_ROWS * b, y_stride);
#endif
    for (; b < num_blocks; b++)
        block_times_rows(
            di_group_at(w, first_block + b, 0), num_groups, runs_per_group, bits, has_minimum, x, x_stride, num_rows,
            y + DI_BLOCK_ROWS * b, y_stride);
}

// The rows in the largest handfuls that the registers hold. Groups of 32 have one run: a constant for them.
ALWAYS_INLINE void tile(
    const di_weight *w, int first_block, int num_blocks, int bits, int has_minimum, const di_run_codes *x,
    int num_rows, float *y, ptrdiff_t y_stride) {
    ptrdiff_t x_stride = w->num_columns / DI_RUN;
    int runs_per_group = w->group_size / DI_RUN;
#define DI_HANDFUL(handful)                                                                                           \
    for (; num_rows >= (handful); num_rows -= (handful), x += (handful) * x_stride, y += (handful) * y_stride) {      \
        if (runs_per_group == 1)                                                                                      \
            blocks_times_rows(                                                                                        \
                w, first_block, num_blocks, 1, bits, has_minimum, x, x_stride, handful, y, y_stride);                 \
        else                                                                                                          \
            blocks_times_rows(                                                                                        \
                w, first_block, num_blocks, runs_per_group, bits, has_minimum, x, x_stride, handful, y, y_stride);    \
    }
    if (DI_LARGEST_HANDFUL(bits) == 8) {
        DI_HANDFUL(8)
    }
    DI_HANDFUL(4)
    DI_HANDFUL(2)
    DI_HANDFUL(1)
#undef DI_HANDFUL
}

#define DI_TILE(bits, has_minimum)                                                                                    \
    void DI_NAME(di_tile_##bits##_##has_minimum)(                                                                     \
        const di_weight *w, int first_block, int num_blocks, const struct di_run_codes *x, int num_rows, float *y,    \
        ptrdiff_t y_stride) {                                                                                         \
        tile(w, first_block, num_blocks, bits, has_minimum, x, num_rows, y, y_stride);                                \
    }

DI_TILE(3, 0)
DI_TILE(3, 1)
DI_TILE(4, 0)
DI_TILE(4, 1)
DI_TILE(5, 0)
DI_TILE(5, 1)
DI_TILE(8, 0)
DI_TILE(8, 1)
