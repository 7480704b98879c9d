// All layers of a decoder as one run of the pool: described once, run with a batch. Knows nothing of sequences' owners.
#ifndef DI_DECODER_H
#define DI_DECODER_H

#include "attention.h"
#include "linear.h"

// One layer; null: the model has none of it. All memory belongs to the caller and outlives the decoder.
typedef struct di_layer {
    const di_weight *qkv, *output, *gate_up, *down;
    const float *attention_norm, *feed_forward_norm;           // [hidden], or null
    const float *attention_post_norm, *feed_forward_post_norm; // [hidden], or null
    const float *attention_norm_bias, *feed_forward_norm_bias; // [hidden], or null: RMSNorm, else LayerNorm
    const float *qkv_bias;                                     // [(heads + 2 kv_heads) * head_dim], or null
    const float *output_bias, *down_bias;                      // [hidden], or null
    const float *up_bias; // [feed_forward_size], or null; only where the feed forward is not gated
    const float *query_norm, *key_norm;                        // see di_rope_append, or null
    const float *rope_table;                                   // [max_positions, 2, head_dim / 2], or null
    float norm_eps;
    float scale;
    float softcap;      // 0: none
    int32_t window;     // 0: none
    int32_t activation; // DI_SILU, DI_GELU_TANH or DI_GELU
    int32_t query_norm_dim, key_norm_dim;
    int32_t is_gated;    // gate_up has both, else up alone
    int32_t is_parallel; // the feed forward sees what attention saw
} di_layer;

typedef struct di_decoder_shape {
    int32_t num_layers, hidden_size, num_heads, num_kv_heads, head_dim, feed_forward_size;
    int64_t max_positions;
    float embedding_scale;
} di_decoder_shape;

// M rows of a ragged batch, and the pools [layers, blocks, kv_heads, block_size, one row each].
typedef struct di_decoder_call {
    int64_t num_rows;
    const int64_t *token_ids, *positions, *slots; // [M]
    di_ragged_batch batch;
    char *keys, *values;
    int64_t num_blocks;
    int32_t block_size;
    int32_t format; // of the pools, di_kv_format
    float *hidden; // [M, hidden]: the result
    // Null: every row's result is wanted. Else these rows' alone, ascending; what the others hold is undefined, but their
    // keys and values are written. `wanted_batch` has them as sequences that end with them.
    const int64_t *wanted;
    int64_t num_wanted;
    di_ragged_batch wanted_batch;
} di_decoder_call;

typedef enum di_decoder_error {
    DI_DECODER_OK = 0,
    DI_DECODER_NO_MEMORY,
    DI_DECODER_BAD_TOKEN,
    DI_DECODER_BAD_POSITION,
    DI_DECODER_BAD_SLOT,
    DI_DECODER_BAD_BLOCK,
} di_decoder_error;

typedef struct di_decoder di_decoder;

// Null if there is no memory.
DI_EXPORT di_decoder *di_decoder_create(const di_decoder_shape *shape, const di_weight *table, const di_layer *layers);
DI_EXPORT void di_decoder_destroy(di_decoder *decoder);

// Compute the call's hidden rows, and write their keys and values into the pools; nothing is written on an error.
DI_EXPORT di_decoder_error di_decoder_run(di_decoder *decoder, di_pool *pool, di_scratch *scratch,
                                          const di_decoder_call *call);

#endif
