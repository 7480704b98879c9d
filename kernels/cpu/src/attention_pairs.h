// Attention in pairs, two products an instruction: scores of int16, values in bfloat16. For pools of half floats and of
// codes, with one arithmetic for any number of rows; where a processor has no such instructions, nothing.
//
//   keys     a run of 32, written just before its scores:   (attention_codes.h)
//            | dims 0, 16 of key 0 | of key 1 | .. key 31 |  then dims 1, 17; .. 15, 31; 32, 48; ..            int16
//   queries  eight rows:
//            | dims 0, 16 of row 0 | of row 1 | .. row 7 |   then dims 1, 17; ..                               int16
//   weights  of a row, in place of its scores:               (attention_values.h)
//            | key 0 | key 1 | ..                                                                           bfloat16
//   values   a chunk of 128 keys:
//            | dim 0 of keys 0, 1 | dim 1 of them | ..       then of keys 2, 3; ..                          bfloat16
//
// A tile of few rows keeps keys and values in registers instead. Scores are exact sums of codes, so any order will do;
// values are added pair by pair of positions, in one order whoever asks.
// Included by attention.c alone.
#ifndef DI_ATTENTION_PAIRS_H
#define DI_ATTENTION_PAIRS_H

#include "attention_tile.h"

#if defined(__AVX512BF16__)

#include "pairs.h"

static int takes_pairs(int format) { return format != DI_KV_FLOAT; }

// A tile of so many rows takes keys and values right from the pool.
enum { FEW_ROWS = 4 };

// Which of 32 elements from `d` on there are; all where head_dim is known to consist of whole runs.
INLINE __mmask32 lanes_from(int d, int head_dim, int is_whole) {
    return is_whole ? 0xffffffffu : first_lanes(head_dim - d);
}

#include "attention_code_scores.h"
#include "attention_values.h"

#else

static int takes_pairs(int format) {
    (void)format;
    return 0;
}
static void code_queries(const tile *t) { (void)t; }
static void score_in_pairs(const tile *t, int64_t start, key_range seen) { (void)t, (void)start, (void)seen; }
static vf largest_in_pairs(const float *scores, key_range whole) {
    (void)whole;
    return vf_set(*scores);
}
static vf weigh_in_pairs(const tile *t, float *scores, key_range seen, float maximum) {
    (void)t, (void)scores, (void)seen;
    return vf_set(maximum);
}
static void add_in_pairs(const tile *t, int64_t start, key_range seen) { (void)t, (void)start, (void)seen; }

#endif

#endif
