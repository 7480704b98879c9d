// One operation, one stage, one run.
#include "calls.h"

#include <stdlib.h>

#include "kernels.h"
#include "sampling.h"

static void run(di_pool *pool, di_task task, const void *context, int num_items) {
    di_stage stage = {task, context, num_items};
    di_pool_run(pool, &stage, 1);
}

void di_rope_append_run(di_pool *pool, const di_rope_append *call) {
    run(pool, di_kernels_chosen()->rope_append, call, di_rope_append_items(call->num_rows));
}

void di_latent_append_run(di_pool *pool, const di_latent_append *call) {
    run(pool, di_kernels_chosen()->latent_append, call, di_rope_append_items(call->num_rows));
}

di_attention_plan *di_attention_plan_create(void) { return calloc(1, sizeof(di_attention_plan)); }

void di_attention_plan_destroy(di_attention_plan *plan) {
    di_attention_plan_free(plan);
    free(plan);
}

int di_attention_plan_for(di_pool *pool, di_attention_plan *plan, const di_attention_shape *shape,
                          const di_ragged_batch *batch) {
    return di_attention_plan_batch(plan, shape, batch, di_pool_num_workers(pool));
}

void di_attention_run(di_pool *pool, const di_attention *call) {
    run(pool, di_kernels_chosen()->attend, call, call->plan->num_items);
}

void di_dense_run(di_pool *pool, const di_dense *call) {
    run(pool, di_kernels_chosen()->dense, call, call->num_rows * di_dense_chunks(call));
}

void di_sample(di_pool *pool, const di_sampling *sampling) {
    run(pool, di_kernels_chosen()->sample_row, sampling, (int)sampling->num_rows);
}

void di_argmax(di_pool *pool, const float *logits, int64_t num_rows, int64_t vocab_size, int64_t *token_ids) {
    di_sampling sampling = {
        .num_rows = num_rows, .vocab_size = vocab_size, .logits = logits, .token_ids = token_ids};
    run(pool, di_kernels_chosen()->argmax_row, &sampling, (int)num_rows);
}

double di_logprobs(const float *logits, int64_t vocab_size, int64_t token_id, int64_t num_top, int64_t *top_ids,
                   double *top_logprobs) {
    return di_kernels_chosen()->row_logprobs(logits, vocab_size, token_id, num_top, top_ids, top_logprobs);
}
