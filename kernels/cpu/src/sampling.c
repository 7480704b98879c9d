// Drawing a token without sorting the vocabulary.
//
// A logit lies u = (largest - logit) / temperature below the best, in nats; its weight is exp(-u). Tokens are counted
// and weighed in buckets of u:
//
//   u:      0        1/16       2/16      ..        16
//           | bucket 0 | bucket 1 | bucket 2 | .. | 255 | all the rest: bucket 256
//
// In the order of probability all of bucket 0 comes before all of bucket 1. Each filter keeps a prefix of that order,
// so only the bucket in which it ends has to be sorted, and the one in which the draw lands. Sums are in float64, but in
// another order than the reference's: where a comparison is closer than rounding, the row is left in doubt.
#include "sampling.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels.h"
#include "simd.h"

enum { BUCKETS_PER_NAT = 16, LAST_BUCKET = 256, NUM_BUCKETS, RUN = 256 };

#define TOLERANCE 1e-11

typedef struct bucket {
    int64_t count;
    double mass;
} bucket;

// The tokens of all buckets before `bucket`, and the first `count` of it. `mass`: the sum of their weights.
typedef struct prefix {
    int bucket;
    int64_t count;
    double mass;
} prefix;

typedef struct draw {
    const float *logits;
    int64_t vocab_size;
    float largest;
    double inverse_temperature;
    bucket buckets[NUM_BUCKETS];
    di_candidate *candidates; // the collected bucket, best first
    int64_t num_candidates;
    int collected;            // which bucket that is
    int is_in_doubt;
} draw;

static inline float finite_logit(float logit) {
    if (logit != logit) return -FLT_MAX;
    return logit < -FLT_MAX ? -FLT_MAX : logit > FLT_MAX ? FLT_MAX : logit;
}

static inline vf finite_logits(vf logits) {
    // this order of operands turns NaN into the smallest
    return vf_min(vf_max(logits, vf_set(-FLT_MAX)), vf_set(FLT_MAX));
}

static float largest_logit(const float *logits, int64_t count) {
    vf lanes = vf_set(-FLT_MAX);
    int64_t i = 0;
    for (; i + VF_LANES <= count; i += VF_LANES) lanes = vf_max(lanes, finite_logits(vf_load(logits + i)));
    float each[VF_LANES], largest = -FLT_MAX;
    vf_store(each, lanes);
    for (int lane = 0; lane < VF_LANES; lane++) largest = each[lane] > largest ? each[lane] : largest;
    for (int64_t rest = 0; rest < count % VF_LANES; rest++) {
        float logit = finite_logit(logits[i + rest]);
        largest = logit > largest ? logit : largest;
    }
    return largest;
}

// The first of the largest logits: looked for one by one only in the run whose own largest it is.
static int64_t greedy(const float *logits, int64_t count) {
    float largest = largest_logit(logits, count);
    int64_t token_id = 0;
    while (token_id + RUN <= count && largest_logit(logits + token_id, RUN) != largest) token_id += RUN;
    while (finite_logit(logits[token_id]) != largest) token_id++;
    return token_id;
}

// exp(x) for x <= 0 to 1e-15, and about 1e-304 below -700: x = n ln 2 + r, and the exponential series in r. A loop over
// it becomes vector code.
static inline double exp_negative(double x) {
    const double magic = 0x1.8p52; // adding it leaves the nearest whole number in the lowest bits
    x = x < -700.0 ? -700.0 : x;
    double shifted = x * 1.4426950408889634 + magic, n = shifted - magic;
    double r = x - n * 0x1.62e42feep-1;
    r -= n * 0x1.a39ef35793c76p-33;
    double p = 1.0 / 6227020800.0;
    p = __builtin_fma(p, r, 1.0 / 479001600.0);
    p = __builtin_fma(p, r, 1.0 / 39916800.0);
    p = __builtin_fma(p, r, 1.0 / 3628800.0);
    p = __builtin_fma(p, r, 1.0 / 362880.0);
    p = __builtin_fma(p, r, 1.0 / 40320.0);
    p = __builtin_fma(p, r, 1.0 / 5040.0);
    p = __builtin_fma(p, r, 1.0 / 720.0);
    p = __builtin_fma(p, r, 1.0 / 120.0);
    p = __builtin_fma(p, r, 1.0 / 24.0);
    p = __builtin_fma(p, r, 1.0 / 6.0);
    p = __builtin_fma(p, r, 0.5);
    p = __builtin_fma(p, r, 1.0);
    p = __builtin_fma(p, r, 1.0);
    uint64_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    bits = (bits + 1023) << 52;
    double power;
    memcpy(&power, &bits, sizeof power);
    return p * power;
}

static inline double nats_below(const draw *d, float logit) {
    return ((double)d->largest - (double)finite_logit(logit)) * d->inverse_temperature;
}

static inline int bucket_of(double nats) {
    double place = nats * BUCKETS_PER_NAT;
    return place < LAST_BUCKET ? (int)place : LAST_BUCKET;
}

static void fill_buckets(draw *d) {
    memset(d->buckets, 0, sizeof d->buckets);
    double rest[4] = {0, 0, 0, 0};
    int64_t num_rest = 0;
    for (int64_t start = 0; start < d->vocab_size; start += RUN) {
        int count = d->vocab_size - start < RUN ? (int)(d->vocab_size - start) : RUN;
        double nats[RUN], weights[RUN];
        for (int i = 0; i < count; i++) nats[i] = nats_below(d, d->logits[start + i]);
        for (int i = 0; i < count; i++) weights[i] = exp_negative(-nats[i]);
        for (int i = 0; i < count; i++) {
            int b = bucket_of(nats[i]);
            if (b == LAST_BUCKET) {
                // most tokens: four sums, as one would wait for itself
                rest[i & 3] += weights[i];
                num_rest++;
            } else {
                d->buckets[b].mass += weights[i];
                d->buckets[b].count++;
            }
        }
    }
    d->buckets[LAST_BUCKET] = (bucket){num_rest, (rest[0] + rest[1]) + (rest[2] + rest[3])};
}

static int by_probability(const void *left, const void *right) {
    const di_candidate *a = left, *b = right;
    if (a->logit != b->logit) return a->logit > b->logit ? -1 : 1;
    return a->token_id < b->token_id ? -1 : 1;
}

static void collect(draw *d, int wanted) {
    if (d->collected == wanted) return;
    int64_t count = 0;
    for (int64_t i = 0; i < d->vocab_size; i++)
        if (bucket_of(nats_below(d, d->logits[i])) == wanted)
            d->candidates[count++] = (di_candidate){finite_logit(d->logits[i]), (int32_t)i};
    qsort(d->candidates, (size_t)count, sizeof *d->candidates, by_probability);
    d->num_candidates = count;
    d->collected = wanted;
}

static double weight_of(const draw *d, int64_t candidate) {
    return exp_negative(-nats_below(d, d->candidates[candidate].logit));
}

static double mass_before(const draw *d, int b) {
    double mass = 0;
    for (int i = 0; i < b; i++) mass += d->buckets[i].mass;
    return mass;
}

// The first `count` tokens of bucket b and all before it.
static prefix prefix_up_to(draw *d, int b, int64_t count) {
    collect(d, b);
    prefix kept = {b, count, mass_before(d, b)};
    for (int64_t i = 0; i < count; i++) kept.mass += weight_of(d, i);
    return kept;
}

static prefix shorter(prefix a, prefix b) {
    return a.bucket < b.bucket || (a.bucket == b.bucket && a.count < b.count) ? a : b;
}

static prefix keep_top_k(draw *d, int64_t top_k) {
    int b = 0;
    int64_t before = 0;
    while (before + d->buckets[b].count < top_k) before += d->buckets[b++].count;
    return prefix_up_to(d, b, top_k - before);
}

static void compare(draw *d, double a, double b, double whole) {
    if (fabs(a - b) <= TOLERANCE * whole) d->is_in_doubt = 1;
}

// A token stays while the more probable ones do not yet reach `limit`.
static prefix keep_top_p(draw *d, prefix kept, double limit) {
    double before = 0;
    int b = 0;
    while (b < kept.bucket && before + d->buckets[b].mass < limit) before += d->buckets[b++].mass;
    collect(d, b);
    int64_t count = 0, available = b == kept.bucket ? kept.count : d->num_candidates;
    for (; count < available; count++) {
        if (b > 0 || count > 0) {
            compare(d, before, limit, kept.mass);
            if (before >= limit) break;
        }
        before += weight_of(d, count);
    }
    compare(d, before, limit, kept.mass);
    return (prefix){b, count, before};
}

static prefix keep_min_p(draw *d, double min_p) {
    double place = min_p < 1.0 ? -log(min_p) * BUCKETS_PER_NAT : 0.0;
    // at a bucket's edge rounding decides on which side a token stands
    if (fabs(place - nearbyint(place)) < 1e-6 && place < LAST_BUCKET + 1) d->is_in_doubt = 1;
    int b = bucket_of(place / BUCKETS_PER_NAT);
    collect(d, b);
    int64_t count = 0;
    for (; count < d->num_candidates; count++) {
        double weight = weight_of(d, count);
        compare(d, weight, min_p, min_p);
        if (weight < min_p) break;
    }
    return prefix_up_to(d, b, count);
}

static int64_t draw_from(draw *d, prefix kept, double uniform) {
    double target = uniform * kept.mass, before = 0;
    int b = 0;
    while (b < kept.bucket && before + d->buckets[b].mass <= target) before += d->buckets[b++].mass;
    collect(d, b);
    int64_t count = b == kept.bucket ? kept.count : d->num_candidates;
    if (b > 0) compare(d, before, target, kept.mass);
    for (int64_t i = 0; i < count; i++) {
        before += weight_of(d, i);
        compare(d, before, target, kept.mass);
        if (before > target) return d->candidates[i].token_id;
    }
    return DI_IN_DOUBT;
}

static int64_t sample_row(const di_sampling *s, int64_t row, di_candidate *candidates) {
    const float *logits = s->logits + row * s->vocab_size;
    if (s->temperature[row] == 0.0f) return greedy(logits, s->vocab_size);
    draw d;
    d.logits = logits;
    d.vocab_size = s->vocab_size;
    d.largest = largest_logit(logits, s->vocab_size);
    d.inverse_temperature = 1.0 / (double)s->temperature[row];
    d.candidates = candidates;
    d.num_candidates = 0;
    d.collected = -1;
    d.is_in_doubt = 0;
    fill_buckets(&d);
    prefix kept = {LAST_BUCKET, d.buckets[LAST_BUCKET].count, mass_before(&d, NUM_BUCKETS)};
    if (s->top_k[row] > 0 && s->top_k[row] < s->vocab_size) kept = keep_top_k(&d, s->top_k[row]);
    prefix all = kept;
    if (s->top_p[row] < 1.0f) kept = keep_top_p(&d, all, (double)s->top_p[row] * all.mass);
    if (s->min_p[row] > 0.0f) kept = shorter(kept, keep_min_p(&d, (double)s->min_p[row]));
    if (kept.bucket == 0 && kept.count == 0) kept = prefix_up_to(&d, 0, 1);
    int64_t token_id = draw_from(&d, kept, s->uniform[row]);
    return d.is_in_doubt ? DI_IN_DOUBT : token_id;
}

void DI_NAME(di_sample_row)(const void *context, int row, int worker) {
    const di_sampling *s = context;
    s->token_ids[row] = sample_row(s, row, s->candidates + worker * s->vocab_size);
}

void DI_NAME(di_argmax_row)(const void *context, int row, int worker) {
    const di_sampling *s = context;
    (void)worker;
    s->token_ids[row] = greedy(s->logits + row * s->vocab_size, s->vocab_size);
}

static double log_mass(const float *logits, int64_t vocab_size, float largest) {
    double sum = 0;
    for (int64_t start = 0; start < vocab_size; start += RUN) {
        int count = vocab_size - start < RUN ? (int)(vocab_size - start) : RUN;
        double weights[RUN];
        for (int i = 0; i < count; i++)
            weights[i] = exp_negative((double)finite_logit(logits[start + i]) - (double)largest);
        for (int i = 0; i < count; i++) sum += weights[i];
    }
    return log(sum);
}

double DI_NAME(di_row_logprobs)(const float *logits, int64_t vocab_size, int64_t token_id, int64_t num_top,
                                int64_t *top_ids, double *top_logprobs) {
    float largest = largest_logit(logits, vocab_size);
    double log_sum = log_mass(logits, vocab_size, largest);
    int64_t count = 0;
    for (int64_t i = 0; i < vocab_size && num_top > 0; i++) {
        double logprob = (double)finite_logit(logits[i]) - (double)largest - log_sum;
        if (count == num_top && logprob <= top_logprobs[count - 1]) continue;
        int64_t place = count < num_top ? count++ : num_top - 1;
        for (; place > 0 && top_logprobs[place - 1] < logprob; place--) {
            top_logprobs[place] = top_logprobs[place - 1];
            top_ids[place] = top_ids[place - 1];
        }
        top_logprobs[place] = logprob;
        top_ids[place] = i;
    }
    return (double)finite_logit(logits[token_id]) - (double)largest - log_sum;
}
