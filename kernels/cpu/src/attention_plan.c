// The plan of a batch's attention: which item computes which rows against which keys. Computes nothing itself.
//
//   rows of a sequence      chunks of its keys (128 positions each)
//   0  .. tile-1          | chunk 0 | chunk 1 | ... |       a tile of many rows is one item per kv head,
//   tile .. 2 tile - 1    | chunk 0 | chunk 1 | ... |       a tile of few rows is cut into items along its chunks
//                                                           when there are too few of them to keep all workers busy
#include "attention.h"

#include <stdlib.h>
#include <string.h>

#include "align.h"

enum {
    // Query rows times heads of a kv head that share one pass over the keys, which are written out once for all of them:
    // many, or fewer where that would leave workers without work.
    MANY_FOLDED_ROWS = 192,
    FEW_FOLDED_ROWS = 48,
    SPLIT_ROWS = 8,        // more rows than this are never split: there are tiles enough
    ITEMS_PER_WORKER = 4,  // few enough to cost nothing, and enough to even out
};

int di_padded_head_dim(int head_dim) { return (head_dim + 15) & ~15; }

static int tile_rows(const di_attention_shape *shape, int folded_rows) {
    int rows = folded_rows / (shape->num_heads / shape->num_kv_heads);
    return rows > 0 ? rows : 1;
}

static int64_t scratch_bytes(const di_attention_shape *shape) {
    int64_t group = shape->num_heads / shape->num_kv_heads, dim = di_padded_head_dim(shape->head_dim);
    int64_t folded = (tile_rows(shape, MANY_FOLDED_ROWS) * group + 7) & ~7; // whole groups of rows
    int64_t floats = 2 * DI_CHUNK_KEYS * (dim + 1) // keys and values of a chunk, and their scales
                     + folded * DI_CHUNK_KEYS      // scores
                     + folded * (3 * dim + 5);     // q, result of the chunk, result so far, and a row's numbers
    int64_t bytes = floats * (int64_t)sizeof(float) + 2 * DI_CHUNK_KEYS * (int64_t)sizeof(void *);
    return (bytes + DI_ALIGNMENT - 1) / DI_ALIGNMENT * DI_ALIGNMENT;
}

typedef struct rows_range {
    int32_t first_row, num_rows, first_chunk, end_chunk;
} rows_range;

static rows_range tile_of(const di_attention_plan *plan, int64_t s, int32_t first_row) {
    const di_attention_shape *shape = &plan->shape;
    const di_ragged_batch *batch = &plan->batch;
    int64_t num_rows = batch->query_starts[s + 1] - batch->query_starts[s];
    int64_t first_position = batch->context_lengths[s] - num_rows + first_row;
    int64_t rows = num_rows - first_row;
    if (rows > plan->tile_rows) rows = plan->tile_rows;
    int64_t first_key = shape->window ? first_position - shape->window + 1 : 0;
    if (first_key < 0) first_key = 0;
    int64_t end_key = first_position + rows;
    rows_range range = {first_row, (int32_t)rows, (int32_t)(first_key / DI_CHUNK_KEYS),
                        (int32_t)((end_key + DI_CHUNK_KEYS - 1) / DI_CHUNK_KEYS)};
    return range;
}

// Calls for every tile: how much work there is in all, in chunks of one kv head.
static int64_t count_chunks(const di_attention_plan *plan) {
    const di_ragged_batch *batch = &plan->batch;
    int64_t total = 0;
    for (int64_t s = 0; s < batch->num_sequences; s++) {
        int64_t num_rows = batch->query_starts[s + 1] - batch->query_starts[s];
        for (int64_t row = 0; row < num_rows; row += plan->tile_rows) {
            rows_range tile = tile_of(plan, s, (int32_t)row);
            total += tile.end_chunk - tile.first_chunk;
        }
    }
    return total * plan->shape.num_kv_heads;
}

static int64_t count_tiles(const di_ragged_batch *batch, int64_t rows_per_tile) {
    int64_t total = 0;
    for (int64_t s = 0; s < batch->num_sequences; s++)
        total += (batch->query_starts[s + 1] - batch->query_starts[s] + rows_per_tile - 1) / rows_per_tile;
    return total;
}

// Memory for `count` elements of `size` bytes where `*max_count` fit; what it holds is lost. 0 if there is none.
static int reserve(void **memory, int64_t *max_count, int64_t count, size_t size) {
    if (count <= *max_count) return 1;
    int64_t wanted = count + count / 2;
    free(*memory);
    *memory = malloc((size_t)wanted * size);
    *max_count = *memory ? wanted : 0;
    return *memory != NULL;
}

typedef struct counts {
    int64_t items, splits, partials;
} counts;

// The items of one tile, for all kv heads: counted, and written down where the plan has memory (`is_written`).
static void add_tile(di_attention_plan *plan, counts *n, int64_t s, rows_range tile, int64_t max_chunks,
                     int is_written) {
    const di_attention_shape *shape = &plan->shape;
    int32_t num_chunks = tile.end_chunk - tile.first_chunk;
    int32_t per_item = tile.num_rows > SPLIT_ROWS || num_chunks <= max_chunks ? num_chunks : (int32_t)max_chunks;
    int is_split = per_item < num_chunks;
    int64_t folded = tile.num_rows * (int64_t)(shape->num_heads / shape->num_kv_heads);
    for (int32_t head = 0; head < shape->num_kv_heads; head++) {
        int32_t num_items = 0;
        for (int32_t chunk = tile.first_chunk; chunk < tile.end_chunk; chunk += per_item, num_items++) {
            int32_t end = chunk + per_item < tile.end_chunk ? chunk + per_item : tile.end_chunk;
            di_attention_item item = {(int32_t)s, head, tile.first_row, tile.num_rows, chunk, end,
                                      is_split ? (int32_t)n->splits : -1};
            if (is_written) plan->items[n->items] = item;
            n->items++;
        }
        if (!is_split) continue;
        di_attention_split split = {n->partials, tile.first_chunk, tile.end_chunk, num_items, 0};
        if (is_written) plan->splits[n->splits] = split;
        n->splits++;
        n->partials += num_chunks * folded * (di_padded_head_dim(shape->head_dim) + 2);
    }
}

static counts add_tiles(di_attention_plan *plan, int64_t max_chunks, int is_written) {
    counts n = {0, 0, 0};
    for (int64_t s = 0; s < plan->batch.num_sequences; s++) {
        int64_t num_rows = plan->batch.query_starts[s + 1] - plan->batch.query_starts[s];
        for (int64_t row = 0; row < num_rows; row += plan->tile_rows)
            add_tile(plan, &n, s, tile_of(plan, s, (int32_t)row), max_chunks, is_written);
    }
    return n;
}

int di_attention_plan_batch(di_attention_plan *plan, const di_attention_shape *shape, const di_ragged_batch *batch,
                            int num_workers) {
    plan->shape = *shape;
    plan->batch = *batch;
    plan->num_workers = num_workers;
    plan->scratch_bytes = scratch_bytes(shape);
    plan->tile_rows = tile_rows(shape, MANY_FOLDED_ROWS);
    if (count_tiles(batch, plan->tile_rows) * shape->num_kv_heads < num_workers * ITEMS_PER_WORKER)
        plan->tile_rows = tile_rows(shape, FEW_FOLDED_ROWS);
    int64_t max_chunks = count_chunks(plan) / (num_workers * ITEMS_PER_WORKER);
    if (max_chunks < 1) max_chunks = 1;
    if (num_workers == 1) max_chunks = INT32_MAX;
    counts n = add_tiles(plan, max_chunks, 0);
    if (!reserve((void **)&plan->items, &plan->max_items, n.items, sizeof *plan->items) ||
        !reserve((void **)&plan->splits, &plan->max_splits, n.splits, sizeof *plan->splits) ||
        !reserve((void **)&plan->partials, &plan->max_partials, n.partials, sizeof *plan->partials) ||
        !reserve((void **)&plan->scratch, &plan->max_scratch, num_workers * plan->scratch_bytes + DI_ALIGNMENT, 1))
        return 0;
    add_tiles(plan, max_chunks, 1);
    plan->num_items = (int)n.items;
    plan->num_splits = (int)n.splits;
    return 1;
}

void di_attention_plan_free(di_attention_plan *plan) {
    free(plan->items);
    free(plan->splits);
    free(plan->partials);
    free(plan->scratch);
    memset(plan, 0, sizeof *plan);
}
