// Allocation of scratch.h's memory. What it held is not kept when it grows.
#include "scratch.h"

#include <stdlib.h>

#include "align.h"

static int grow(di_run_codes **memory, size_t *have, size_t want) {
    if (want <= *have) return 1;
    free(*memory);
    *memory = malloc(want);
    *have = *memory ? want : 0;
    return *memory != 0;
}

int di_scratch_grow_shared(di_scratch *scratch, size_t bytes) {
    return grow(&scratch->codes, &scratch->codes_bytes, bytes);
}

int di_scratch_grow_workers(di_scratch *scratch, size_t bytes) {
    for (int i = 0; i < scratch->num_workers; i++)
        if (!grow(&scratch->workers[i].codes, &scratch->workers[i].codes_bytes, bytes)) return 0;
    return 1;
}

di_scratch *di_scratch_create(int num_workers) {
    di_scratch *scratch = calloc(1, sizeof *scratch);
    if (scratch == 0) return 0;
    scratch->num_workers = num_workers;
    for (int i = 0; i < num_workers; i++) {
        di_worker_scratch *worker = &scratch->workers[i];
        worker->memory = malloc(sizeof(di_panel) + sizeof(float) * 2 * DI_TILE_FLOATS + DI_ALIGNMENT);
        if (worker->memory == 0) {
            di_scratch_destroy(scratch);
            return 0;
        }
        worker->panel = di_aligned(worker->memory);
        worker->tiles = (float *)(worker->panel + 1);
    }
    return scratch;
}

void di_scratch_destroy(di_scratch *scratch) {
    for (int i = 0; i < scratch->num_workers; i++) {
        free(scratch->workers[i].memory);
        free(scratch->workers[i].codes);
    }
    free(scratch->codes);
    free(scratch);
}
