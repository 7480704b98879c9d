// Memory that operations share, one after another: see linear.h.
#ifndef DI_SCRATCH_H
#define DI_SCRATCH_H

#include <stddef.h>
#include <stdint.h>

#include "pool.h"
#include "linear.h"
#include "rows.h"

enum { DI_TILE_FLOATS = 24576 };

typedef struct di_worker_scratch {
    float *tiles;        // 2 * DI_TILE_FLOATS, aligned
    di_panel *panel;     // aligned
    void *memory;        // where both lie
    di_run_codes *codes; // rows that this worker quantised for itself
    size_t codes_bytes;
    int64_t serial; // of the call that they belong to
} di_worker_scratch;

struct di_scratch {
    int num_workers;
    int64_t last_serial;
    di_run_codes *codes; // rows that were quantised once for all workers
    size_t codes_bytes;
    di_worker_scratch workers[DI_MAX_WORKERS];
};

// Room for `bytes` in the shared rows, or in those of each worker. 0 if memory is short.
int di_scratch_grow_shared(di_scratch *scratch, size_t bytes);
int di_scratch_grow_workers(di_scratch *scratch, size_t bytes);

#endif
