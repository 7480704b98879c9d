// Choosing one token per row of logits, and the log-probabilities of a row. Knows nothing of seeds or penalties.
#ifndef DI_SAMPLING_H
#define DI_SAMPLING_H

#include <stdint.h>

#include "pool.h"

enum { DI_IN_DOUBT = -1 };

typedef struct di_candidate {
    float logit;
    int32_t token_id;
} di_candidate;

// B rows, as `SamplingTensors` in kernels/ops.py says: temperature 0 is greedy, top_k 0, top_p 1 and min_p 0 are off.
typedef struct di_sampling {
    int64_t num_rows, vocab_size;
    const float *logits; // [B, V]
    const float *temperature;
    const int64_t *top_k;
    const float *top_p, *min_p;
    const double *uniform;
    di_candidate *candidates; // [workers, V]
    int64_t *token_ids;       // [B]; DI_IN_DOUBT where a sum lies so near a limit that its rounding decides
} di_sampling;

DI_EXPORT void di_sample(di_pool *pool, const di_sampling *sampling);

// Greedy rows: the largest logit's id, the lowest among equal ones. NaN counts as the smallest float.
DI_EXPORT void di_argmax(di_pool *pool, const float *logits, int64_t num_rows, int64_t vocab_size, int64_t *token_ids);

// Log-probabilities (natural) of one row of logits [V]: of `token_id`, returned, and of the `num_top` <= V most probable
// tokens, best first, equal ones by id.
DI_EXPORT double di_logprobs(const float *logits, int64_t vocab_size, int64_t token_id, int64_t num_top,
                             int64_t *top_ids, double *top_logprobs);

#endif
