// Memory that begins with a cache line, so that no vector lies in two.
#ifndef DI_ALIGN_H
#define DI_ALIGN_H

#include <stdint.h>

enum { DI_ALIGNMENT = 64 };

// The first such place in memory that has DI_ALIGNMENT bytes more than are needed.
static inline void *di_aligned(void *memory) {
    return (char *)memory + (DI_ALIGNMENT - 1 - ((uintptr_t)memory + DI_ALIGNMENT - 1) % DI_ALIGNMENT);
}

#endif
