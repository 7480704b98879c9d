// Operations of any kind, planned and run one after another in a single run of the pool: a layer, or a whole decoder, in
// one call. One barrier per stage, and none of Python between them.
//
// Each operation is a descriptor that lives as long as its layer. A caller changes the fields of the call (pointers,
// numbers of rows) and runs the program again; an operation may write what a later one reads.
#ifndef DI_PROGRAM_H
#define DI_PROGRAM_H

#include "linear.h"
#include "pool.h"

typedef enum di_operation_kind {
    DI_OPERATION_EMBED = 1,  // di_embedding
    DI_OPERATION_LINEAR = 2, // di_linear
} di_operation_kind;

typedef struct di_operation {
    int64_t kind;
    void *descriptor;
} di_operation;

// -1 if memory is short; nothing has run then.
DI_EXPORT int di_program_run(di_pool *pool, di_scratch *scratch, const di_operation *operations, int num_operations);

#endif
