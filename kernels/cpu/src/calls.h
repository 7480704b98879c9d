// Single operations as runs of their own, for the table of operations in kernels/ops.py.
#ifndef DI_CALLS_H
#define DI_CALLS_H

#include "attention.h"
#include "dense.h"
#include "rope_append.h"

DI_EXPORT void di_rope_append_run(di_pool *pool, const di_rope_append *call);
DI_EXPORT void di_latent_append_run(di_pool *pool, const di_latent_append *call);

// The plan stays valid for further layers of the batch. 0 if there is no memory.
DI_EXPORT di_attention_plan *di_attention_plan_create(void);
DI_EXPORT void di_attention_plan_destroy(di_attention_plan *plan);
DI_EXPORT int di_attention_plan_for(di_pool *pool, di_attention_plan *plan, const di_attention_shape *shape,
                                    const di_ragged_batch *batch);
DI_EXPORT void di_attention_run(di_pool *pool, const di_attention *call);

DI_EXPORT void di_dense_run(di_pool *pool, const di_dense *call);

#endif
