// Copies of blocks: one item is one layer, so that threads write to memory that lies far apart.
//
//   pool: | layer 0: block 0 | block 1 | .. | layer 1: block 0 | block 1 | .. |
#include "blocks.h"

#include <string.h>

typedef struct copy_call {
    const char *source_pool;
    char *target_pool;
    int64_t num_source_blocks, num_target_blocks, block_bytes, num_copies;
    const int64_t *source, *target;
} copy_call;

static void copy_layer(const void *context, int layer, int worker) {
    const copy_call *call = context;
    (void)worker;
    const char *from = call->source_pool + layer * call->num_source_blocks * call->block_bytes;
    char *to = call->target_pool + layer * call->num_target_blocks * call->block_bytes;
    for (int64_t i = 0; i < call->num_copies; i++)
        memcpy(to + call->target[i] * call->block_bytes, from + call->source[i] * call->block_bytes,
               (size_t)call->block_bytes);
}

void di_copy_blocks(di_pool *pool, const char *source_pool, int64_t num_source_blocks, char *target_pool,
                    int64_t num_target_blocks, int64_t num_layers, int64_t block_bytes, int64_t num_copies,
                    const int64_t *source, const int64_t *target) {
    copy_call call = {source_pool, target_pool, num_source_blocks, num_target_blocks, block_bytes, num_copies,
                      source, target};
    di_stage stage = {copy_layer, &call, (int)num_layers};
    di_pool_run(pool, &stage, 1);
}
