// The linear operations of a decoder layer, as stages of a run (pool.h), so that several can run in one.
//
// An operation is described once; per call only x, residual, y and num_rows change. Its stages are:
//   quantise (many rows only)   x, or norm(x), to eight bits; for few rows every worker does it for itself
//   multiply                    blocks of weight rows times strips of rows of x, with bias, residual or activation
//   add the normed (post_norm)  y = residual + rms_norm(y)
#ifndef DI_LINEAR_H
#define DI_LINEAR_H

#include "kernels.h"
#include "pool.h"
#include "weight.h"

enum { DI_LINEAR_MAX_STAGES = 3 };

// Memory that operations share, one after another: rows in eight bits and workers' tiles. Grows as needed.
typedef struct di_scratch di_scratch;

DI_EXPORT di_scratch *di_scratch_create(int num_workers);
DI_EXPORT void di_scratch_destroy(di_scratch *scratch);

typedef struct di_linear {
    // Of the layer.
    const di_weight *weight;
    const float *norm;      // [K], or null: x is taken as it is
    const float *norm_bias; // [K], or null: RMSNorm, else LayerNorm
    const float *bias;      // [N], or null
    const float *post_norm; // [N], or null; needs a residual
    float norm_eps;
    float post_norm_eps;
    int32_t activation; // 0, or DI_SILU, DI_GELU_TANH or DI_GELU
    int32_t is_gated;   // the weight is gate above up, y is activation(gate) * up, without bias
    // Of the call.
    int32_t num_rows;
    const float *x;        // [num_rows, K]
    const float *residual; // [num_rows, N], or null
    float *y;              // [num_rows, N], or [num_rows, N / 2] if gated; may be the residual, never x
    // Of the plan: written by di_linear_plan.
    di_scratch *scratch;
    di_tile_function *tile;
    di_panel_function *panel; // or null
    int64_t serial;
    int32_t is_quantised_once;
    int32_t rows_per_item, rows_per_strip, blocks_per_item, num_chunks;
    int64_t first_codes; // of its rows among all in the scratch
    int32_t num_groups;  // of which x and y have a part in every row, and this is one; 0: rows are its own
} di_linear;

// The stages of one call, into `stages` (room for DI_LINEAR_MAX_STAGES); how many, or -1 if memory is short. The
// operation lives until the run is over. Plan all operations of a run before it starts.
int di_linear_plan(di_linear *linear, int num_workers, di_scratch *scratch, di_stage *stages);

// Plan and run one operation by itself; -1 if memory is short.
DI_EXPORT int di_linear_run(di_pool *pool, di_scratch *scratch, di_linear *linear);

// Each group of the weight's rows [G * N, K] by its own part of each row, in one run: x [num_rows, G * K],
// y [num_rows, G * N]. N is a multiple of DI_BLOCK_ROWS. -1 if memory is short.
DI_EXPORT int di_grouped_linear_run(di_pool *pool, di_scratch *scratch, const di_weight *weight, int32_t num_groups,
                                    int32_t num_rows, const float *x, float *y);

#endif
