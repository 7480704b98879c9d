// Rows of activations in eight bits, as the integer dot products read them.
#ifndef DI_ROWS_H
#define DI_ROWS_H

#include <stdint.h>

#include "weight.h"

// 32 columns of one row: x is about scale * code, with codes in [-127, 127]. A row is K / 32 of these.
//
// `offset` is what the weights' codes being counted from 0 costs: -centre * scale * sum(codes) for weights
// w = s * (q - centre), scale * sum(codes) for weights w = s * q + m. Then
//     sum(w x) = s * (scale * sum(q codes) + offset)         or
//     sum(w x) = s * (scale * sum(q codes)) + m * offset
typedef struct di_run_codes {
    int8_t codes[DI_RUN];
    float scale;
    float offset;
} di_run_codes;

// By what sum(codes) is multiplied in `offset`.
static inline float di_offset_factor(const di_weight *weight) {
    return weight->has_minimum ? 1.0f : -(float)(1 << (weight->bits - 1));
}

#endif
