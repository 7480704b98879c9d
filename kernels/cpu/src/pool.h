// Worker threads that share out the items of a stage; what an item means is the task's own affair.
//
// A run is a list of stages. Any worker claims the next item of the current stage by one compare-and-swap; whoever
// finishes a stage's last item publishes the next stage. So nobody waits for a thread, only for items that are being
// worked on: a worker that the system has put aside costs its share of the work and no more, and one that wakes late
// is not missed. Results must not depend on who takes which item, nor on how many workers there are.
//
// Between runs workers spin for `spin_us` microseconds and then park: an idle pool takes no processor time.
#ifndef DI_POOL_H
#define DI_POOL_H

#include "export.h"

typedef struct di_pool di_pool;

// Work on one item. `worker` (0 .. num_workers - 1; 0 is the thread that called di_pool_run) picks scratch memory.
typedef void (*di_task)(const void *context, int item, int worker);

typedef struct di_stage {
    di_task task;
    const void *context; // lives until the run is over; written only before the run or by an earlier stage of it
    int num_items;       // 0 is allowed: the stage is passed over
} di_stage;

enum { DI_MAX_WORKERS = 64 };

// `num_workers` counts the caller of di_pool_run. Null if memory or threads cannot be had.
DI_EXPORT di_pool *di_pool_create(int num_workers, int spin_us);
// No run may be under way.
DI_EXPORT void di_pool_destroy(di_pool *pool);
DI_EXPORT int di_pool_num_workers(const di_pool *pool);

// Run the stages one after another, each over all of its items; returns when the last is done. One caller at a time.
DI_EXPORT void di_pool_run(di_pool *pool, const di_stage *stages, int num_stages);

#endif
