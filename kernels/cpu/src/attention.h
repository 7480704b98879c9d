// Paged attention of a ragged batch as one stage of a run: the plan of a batch, shared by its layers, and a layer's task.
//
// Knows nothing of rotary embedding or of who writes the pool.
#ifndef DI_ATTENTION_H
#define DI_ATTENTION_H

#include <stdint.h>

#include "kv_row.h"
#include "pool.h"

// Keys are taken in chunks that begin at multiples of DI_CHUNK_KEYS of their positions. A row's softmax is computed
// chunk by chunk and merged in their order, whoever computes them: so its bits depend on its own q, position and keys.
enum { DI_CHUNK_KEYS = 128 };

// What of the model decides a plan.
typedef struct di_attention_shape {
    int32_t num_heads, num_kv_heads, head_dim, block_size;
    int32_t format;  // of the pools, di_kv_format
    int32_t window;  // a row at p sees p - window < j <= p; 0: all j <= p
} di_attention_shape;

// Sequence s owns the rows query_starts[s] .. query_starts[s + 1], at the positions that end at context_lengths[s] - 1.
typedef struct di_ragged_batch {
    int64_t num_sequences;
    const int64_t *query_starts;
    const int64_t *context_lengths;
    const int64_t *const *block_tables;
} di_ragged_batch;

// Some rows of one sequence against some of their chunks, for one kv head and all query heads that read it.
typedef struct di_attention_item {
    int32_t sequence, kv_head;
    int32_t first_row, num_rows;     // within the sequence
    int32_t first_chunk, end_chunk;
    int32_t split;                   // which split task it is a part of, or -1 if it is whole
} di_attention_item;

// A task whose chunks are shared out over several items: they leave one partial result per chunk, and the item that
// ends last merges them.
typedef struct di_attention_split {
    int64_t first_partial; // in floats
    int32_t first_chunk, end_chunk;
    int32_t num_items;
    int32_t num_ended; // atomic; back at 0 when the task is over
} di_attention_split;

typedef struct di_attention_plan {
    di_attention_shape shape;
    di_ragged_batch batch;
    int tile_rows; // query rows that one item takes at most
    int num_workers, num_items, num_splits;
    di_attention_item *items;
    di_attention_split *splits;
    float *partials;
    char *scratch; // scratch_bytes for each worker, from the first aligned place on
    int64_t scratch_bytes;
    // what the memory holds
    int64_t max_items, max_splits, max_partials, max_scratch;
} di_attention_plan;

// One layer: q float32 [rows, heads, head_dim], pools [blocks, kv_heads, block_size, one row each],
// out float32 [rows, heads * head_dim].
typedef struct di_attention {
    const di_attention_plan *plan;
    const float *q;
    const void *keys, *values;
    float *out;
    float scale;
    float softcap; // 0: none
} di_attention;

// Plan a batch for `num_workers`; memory of the last plan is used again. `plan` starts as all zeros. 0 if there is no
// memory.
int di_attention_plan_batch(di_attention_plan *plan, const di_attention_shape *shape, const di_ragged_batch *batch,
                            int num_workers);
void di_attention_plan_free(di_attention_plan *plan);

// Rounded up to whole vectors.
int di_padded_head_dim(int head_dim);

#endif
