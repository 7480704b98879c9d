// How one key or value of a head lies in a pool. Portable; knows nothing of blocks.
#ifndef DI_KV_ROW_H
#define DI_KV_ROW_H

#include <stdint.h>

typedef enum di_kv_format {
    DI_KV_FLOAT = 0,
    DI_KV_HALF = 1, // IEEE half floats
    DI_KV_INT8 = 2, // codes in [-127, 127], then the float32 scale that they share: x = scale * code
} di_kv_format;

static inline int di_kv_row_bytes(int32_t format, int head_dim) {
    switch (format) {
    case DI_KV_HALF: return head_dim * (int)sizeof(uint16_t);
    case DI_KV_INT8: return head_dim + (int)sizeof(float);
    default: return head_dim * (int)sizeof(float);
    }
}

#endif
