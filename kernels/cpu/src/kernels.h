// The functions that exist once per instruction set, as one table per variant, and the choice of the table.
#ifndef DI_KERNELS_H
#define DI_KERNELS_H

#include "export.h"

typedef struct di_kernels {
    const char *variant; // "avx2", "avxvnni", "avx512vnni", "neon", "neondot"
} di_kernels;

// The best variant that this processor runs, chosen at the first call; null if it runs none.
const di_kernels *di_kernels_chosen(void);

// Its name, or null. `di_choose_variant` takes another one (for tests); 0 if this processor cannot run it.
DI_EXPORT const char *di_variant(void);
DI_EXPORT int di_choose_variant(const char *name);

#endif
