// Small float32 matrices, such as an expert's router: y = x W^T, every product by itself, in one order of sums.
#ifndef DI_DENSE_H
#define DI_DENSE_H

#include <stdint.h>

enum { DI_DENSE_OUTPUTS = 16 }; // of one item

typedef struct di_dense {
    int32_t num_rows, num_columns, num_outputs;
    const float *x;      // [num_rows, num_columns]
    const float *weight; // [num_outputs, num_columns]
    float *y;            // [num_rows, num_outputs]
} di_dense;

static inline int di_dense_chunks(const di_dense *dense) {
    return (dense->num_outputs + DI_DENSE_OUTPUTS - 1) / DI_DENSE_OUTPUTS;
}

#endif
