// The functions that exist once per instruction set, as one table per variant, and the choice of the table.
#ifndef DI_KERNELS_H
#define DI_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "export.h"
#include "panel.h"
#include "pool.h"
#include "weight.h"

struct di_run_codes;

enum { DI_NUM_BITS = 4 };

enum { DI_SILU = 1, DI_GELU_TANH, DI_GELU };

// y[r * y_stride + 8 b + i] = x[r] . row 8 (first_block + b) + i, for num_rows rows and num_blocks blocks.
typedef void di_tile_function(
    const di_weight *weight, int first_block, int num_blocks, const struct di_run_codes *x, int num_rows, float *y,
    ptrdiff_t y_stride);

// What becomes of many rows' products with a panel's weight rows: y = activation(residual + (products + bias)), or
// activation(gate) * products.
typedef struct di_finish {
    float *y;              // of the first row and column
    const float *bias;     // or null
    const float *residual; // or null; lies as y, and may be y
    const float *gate;     // [num_rows, DI_PANEL_ROWS], or null
    ptrdiff_t stride;      // between rows of y
    int num_columns;       // up to DI_PANEL_ROWS
    int activation;        // 0, or as above
} di_finish;

// A part of the products of up to DI_PANEL_BLOCKS blocks with many rows: that of columns part * DI_PANEL_COLUMNS and so many
// more, whose codes are unpacked into `panel`. It begins `products` [num_rows, DI_PANEL_ROWS], or is added to them if it
// is not the first; where `finish` is not null, what it comes to goes there instead.
typedef void di_panel_function(
    const di_weight *weight, int first_block, int num_blocks, int part, const struct di_run_codes *x, int num_rows,
    float *products, const di_finish *finish, di_panel *panel);

typedef struct di_kernels {
    const char *variant; // "avx2", "avxvnni", "avx512vnni", "avx512bf16", "neon", "neondot"
    // [3, 4, 5, 8 bits][without, with minimum]
    di_tile_function *tiles[DI_NUM_BITS][2];
    di_panel_function *const (*panels)[2]; // as tiles; null where the variant has none
    // Rows of x [num_rows, num_columns] to codes; through RMSNorm if `norm` is not null, LayerNorm if `norm_bias` is
    // not null either.
    void (*quantise_rows)(
        const float *x, int num_rows, int num_columns, const float *norm, const float *norm_bias, float eps,
        float offset_factor, struct di_run_codes *codes);
    // y = tile + bias + residual; either may be null. y may be the residual.
    void (*finish_linear)(
        const float *tile, int num_columns, const float *bias, const float *residual, float *y);
    // y = activation(y)
    void (*activate)(float *y, int num_columns, int activation);
    // y = activation(gate) * up. gate and up are readable up to the next eight columns.
    void (*finish_gate_up)(const float *gate, const float *up, int num_columns, int activation, float *y);
    // y = residual + rms_norm(y)
    void (*add_normed_row)(const float *residual, const float *norm, float eps, int num_columns, float *y);
    di_task rope_append; // of a di_rope_append
    di_task latent_append; // of a di_latent_append
    di_task attend;      // of a di_attention
    di_task dense;       // of a di_dense
    di_task sample_row, argmax_row; // of a di_sampling
    // see di_logprobs
    double (*row_logprobs)(
        const float *logits, int64_t vocab_size, int64_t token_id, int64_t num_top, int64_t *top_ids,
        double *top_logprobs);
} di_kernels;

// The best variant that this processor runs, chosen at the first call; null if it runs none.
const di_kernels *di_kernels_chosen(void);

// Whether a vector of 512 bits is one operation. Zen 4 makes two of it: there two streams of weights cost more than half
// as many instructions save (eight rows a quarter slower).
int di_has_whole_vectors(void);

static inline int di_index_of_bits(const di_weight *weight) { return weight->bits == 8 ? 3 : weight->bits - 3; }

static inline di_tile_function *di_tile_of(const di_weight *weight) {
    return di_kernels_chosen()->tiles[di_index_of_bits(weight)][weight->has_minimum != 0];
}

static inline di_panel_function *di_panel_of(const di_weight *weight) {
    return di_kernels_chosen()->panels[di_index_of_bits(weight)][weight->has_minimum != 0];
}

// Its name, or null. `di_choose_variant` takes another one (for tests), with all that it has, whether it pays here or
// not; 0 if this processor cannot run it.
DI_EXPORT const char *di_variant(void);
DI_EXPORT int di_choose_variant(const char *name);

#endif
