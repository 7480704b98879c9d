// Whole blocks of the cache copied from one pool to another, or within one.
#ifndef DI_BLOCKS_H
#define DI_BLOCKS_H

#include <stdint.h>

#include "pool.h"

// Pools [layers, blocks, block_bytes]; block source[i] goes to target[i] in every layer. No source is a target of the
// same pool.
DI_EXPORT void di_copy_blocks(di_pool *pool, const char *source_pool, int64_t num_source_blocks, char *target_pool,
                              int64_t num_target_blocks, int64_t num_layers, int64_t block_bytes, int64_t num_copies,
                              const int64_t *source, const int64_t *target);

#endif
