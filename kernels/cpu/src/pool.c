// The pool of pool.h. All claiming goes through one 64-bit word, the ticket:
//
//     | generation of the stage : 32 | items not yet claimed : 32 |
//
// A claim swaps (generation, left) for (generation, left - 1). If it succeeds, no other stage was published since the
// ticket was read, so what was read of the stage in between is of this stage; and the stage cannot end before the
// claimed item does, so its context is alive. `num_done` counts finished items; the last one publishes the next stage.
#include "pool.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "thread.h"

enum { CACHE_LINE = 64, SPINS_PER_CLOCK = 64, SPINS_BEFORE_YIELD = 2000 };

// A thread that computes without a pause may keep another one of the same core waiting for a whole tick of the system's
// clock (4 ms on many a Linux), however low its priority is. So it offers the core again and again.
#define GIVE_WAY_EVERY_NS 500000

typedef struct di_worker {
    di_pool *pool;
    di_thread thread;
    int index;
} di_worker;

struct di_pool {
    _Alignas(CACHE_LINE) _Atomic uint64_t ticket;
    // Of the current stage; read under the protection of the ticket.
    _Alignas(CACHE_LINE) _Atomic(const di_stage *) stage;
    _Atomic(const di_stage *) end;
    _Alignas(CACHE_LINE) _Atomic int num_done;
    _Alignas(CACHE_LINE) _Atomic int is_running;
    _Atomic int is_parked; // one worker at least, or about to
    _Atomic int is_stopping;
    di_mutex mutex;
    di_condition work_came;
    int num_workers;
    int64_t spin_ns;
    di_worker workers[DI_MAX_WORKERS]; // [0] is the caller and has no thread
};

// After the ticket was stored. Both accesses are sequentially consistent, as those of park() the other way round: either
// this sees that somebody parks, or they see the ticket.
static void wake_parked(di_pool *pool) {
    if (atomic_load(&pool->is_parked) == 0) return;
    di_mutex_lock(&pool->mutex);
    atomic_store(&pool->is_parked, 0);
    di_condition_wake_all(&pool->work_came);
    di_mutex_unlock(&pool->mutex);
}

// Make `stage` the current one, or end the run if there is none left. Only whoever finished the stage before calls it.
static void publish(di_pool *pool, const di_stage *stage, const di_stage *end) {
    while (stage < end && stage->num_items <= 0) stage++;
    uint64_t ticket = atomic_load_explicit(&pool->ticket, memory_order_relaxed);
    uint64_t generation = (ticket >> 32) + 1;
    if (stage == end) {
        atomic_store_explicit(&pool->is_running, 0, memory_order_release);
        return;
    }
    atomic_store_explicit(&pool->num_done, 0, memory_order_relaxed);
    atomic_store_explicit(&pool->stage, stage, memory_order_relaxed);
    atomic_store_explicit(&pool->end, end, memory_order_relaxed);
    atomic_store(&pool->ticket, generation << 32 | (uint32_t)stage->num_items);
    wake_parked(pool);
}

// Do one item of the current stage; 0 if none is left to claim.
static int work(di_pool *pool, int worker) {
    uint64_t ticket = atomic_load_explicit(&pool->ticket, memory_order_acquire);
    while ((uint32_t)ticket != 0) {
        const di_stage *stage = atomic_load_explicit(&pool->stage, memory_order_relaxed);
        if (!atomic_compare_exchange_weak_explicit(
                &pool->ticket, &ticket, ticket - 1, memory_order_acq_rel, memory_order_acquire))
            continue;
        int num_items = stage->num_items;
        stage->task(stage->context, num_items - (int)(uint32_t)ticket, worker);
        if (atomic_fetch_add_explicit(&pool->num_done, 1, memory_order_acq_rel) + 1 == num_items)
            publish(pool, stage + 1, atomic_load_explicit(&pool->end, memory_order_relaxed));
        return 1;
    }
    return 0;
}

// Between two items. `since` is when the thread offered its core last.
static void give_way(int64_t *since) {
    int64_t now = di_clock_ns();
    if (now - *since < GIVE_WAY_EVERY_NS) return;
    di_thread_give_way();
    *since = di_clock_ns();
}

static int has_work(di_pool *pool) { return (uint32_t)atomic_load(&pool->ticket) != 0; }

static void park(di_pool *pool) {
    di_mutex_lock(&pool->mutex);
    for (;;) {
        atomic_store(&pool->is_parked, 1);
        if (has_work(pool) || atomic_load(&pool->is_stopping)) break;
        di_condition_wait(&pool->work_came, &pool->mutex);
    }
    di_mutex_unlock(&pool->mutex);
}

// Wait for work without parking; 0 once `spin_ns` have passed in vain.
static int spin(di_pool *pool) {
    int64_t deadline = di_clock_ns() + pool->spin_ns;
    do {
        for (int i = 0; i < SPINS_PER_CLOCK; i++) {
            if (has_work(pool)) return 1;
            di_pause();
        }
    } while (di_clock_ns() < deadline);
    return 0;
}

DI_THREAD_FUNCTION(worker_main, argument) {
    di_worker *self = argument;
    di_pool *pool = self->pool;
    di_thread_lower_priority();
    int64_t since = di_clock_ns();
    while (!atomic_load_explicit(&pool->is_stopping, memory_order_acquire)) {
        while (work(pool, self->index)) give_way(&since);
        if (!spin(pool)) park(pool);
    }
    return DI_THREAD_RESULT;
}

di_pool *di_pool_create(int num_workers, int spin_us) {
    if (num_workers < 1) num_workers = 1;
    if (num_workers > DI_MAX_WORKERS) num_workers = DI_MAX_WORKERS;
    // calloc aligns to 16 bytes only
    char *memory = calloc(1, sizeof(di_pool) + CACHE_LINE);
    if (memory == 0) return 0;
    size_t shift = CACHE_LINE - (uintptr_t)memory % CACHE_LINE;
    di_pool *pool = (di_pool *)(memory + shift);
    memory[shift - 1] = (char)shift;
    pool->spin_ns = (int64_t)spin_us * 1000;
    pool->num_workers = 1;
    di_mutex_init(&pool->mutex);
    di_condition_init(&pool->work_came);
    for (int i = 1; i < num_workers; i++) {
        pool->workers[i] = (di_worker){.pool = pool, .index = i};
        if (!di_thread_start(&pool->workers[i].thread, worker_main, &pool->workers[i])) {
            di_pool_destroy(pool);
            return 0;
        }
        pool->num_workers++;
    }
    return pool;
}

void di_pool_destroy(di_pool *pool) {
    di_mutex_lock(&pool->mutex);
    atomic_store(&pool->is_stopping, 1);
    di_condition_wake_all(&pool->work_came);
    di_mutex_unlock(&pool->mutex);
    for (int i = 1; i < pool->num_workers; i++) di_thread_join(pool->workers[i].thread);
    di_condition_free(&pool->work_came);
    di_mutex_free(&pool->mutex);
    free((char *)pool - ((char *)pool)[-1]);
}

int di_pool_num_workers(const di_pool *pool) { return pool->num_workers; }

// The caller works too, and then waits for the items that others still hold. If one of them was put aside, yielding
// gives it this processor.
void di_pool_run(di_pool *pool, const di_stage *stages, int num_stages) {
    atomic_store_explicit(&pool->is_running, 1, memory_order_relaxed);
    int64_t since = di_clock_ns();
    publish(pool, stages, stages + num_stages);
    for (int spins = 0; atomic_load_explicit(&pool->is_running, memory_order_acquire);) {
        if (work(pool, 0)) {
            spins = 0;
            give_way(&since);
        } else if (++spins < SPINS_BEFORE_YIELD) {
            di_pause();
        } else {
            di_thread_yield();
        }
    }
}
