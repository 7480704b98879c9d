// Planning and running the linear operations of linear.h. Knows nothing of instruction sets.
//
// Work is cut over blocks of eight weight rows, and for many rows over strips of rows of x as well; no sum is ever
// split, so neither the cut nor the number of workers shows in a result.
#include "linear.h"

#include <stdlib.h>

#include "scratch.h"

enum {
    // Up to so many values of x, every worker quantises all rows itself: cheaper than a stage of its own.
    MAX_VALUES_QUANTISED_BY_EACH = 8192,
    // A strip of x in eight bits stays in the second-level cache while all of an item's weights pass it.
    STRIP_BYTES = 192 * 1024,
    // From so many rows on, codes are unpacked once for all of them.
    FEWEST_ROWS_UNPACKED = 64,
    // Blocks whose weights stay in the first-level cache while all rows of a strip pass them.
    BLOCKS_BYTES = 20 * 1024,
    ROWS_PER_TILE = 16,
    UNPACKED_ROWS = 256, // of a strip
    // So much of a strip stays in the second-level cache while all of its columns pass, panel by panel.
    STRIP_CACHED_BYTES = 512 * 1024,
    MOST_ITEMS_PER_WORKER = 6,
    // Of weights, for few rows, which wait for memory: claiming an item and reading on at another place costs a worker
    // more than half a microsecond.
    LEAST_ITEM_BYTES = 512 * 1024,
    // A tile may begin seven columns early and end seven late.
    BLOCKS_BESIDE = 2,
};

static int min_of(int a, int b) { return a < b ? a : b; }
static int max_of(int a, int b) { return a > b ? a : b; }
static int ceil_div(int a, int b) { return (a + b - 1) / b; }

static int runs_per_row(const di_linear *l) { return l->weight->num_columns / DI_RUN; }
static int num_outputs(const di_linear *l) {
    return l->is_gated ? l->weight->num_rows / 2 : l->weight->num_rows;
}

// A gate's rows are followed by whole blocks of the rows above it only if they are whole blocks themselves.
static int is_unpacked(const di_linear *l, int num_rows) {
    return l->panel && num_rows >= FEWEST_ROWS_UNPACKED && !(l->is_gated && num_outputs(l) % DI_BLOCK_ROWS);
}

// Elements from one row to the next where this operation's part of a row is as long.
static size_t row_stride(const di_linear *l, int length) { return (size_t)max_of(1, l->num_groups) * (size_t)length; }

static void quantise(const di_linear *l, int first_row, int num_rows, di_run_codes *codes) {
    int num_columns = l->weight->num_columns, rows_at_once = l->num_groups > 1 ? 1 : num_rows;
    for (int row = first_row; row < first_row + num_rows; row += rows_at_once)
        di_kernels_chosen()->quantise_rows(
            l->x + (size_t)row * row_stride(l, num_columns), rows_at_once, num_columns, l->norm, l->norm_bias,
            l->norm_eps, di_offset_factor(l->weight), codes + (size_t)row * (size_t)runs_per_row(l));
}

static void quantise_item(const void *context, int item, int worker) {
    (void)worker;
    const di_linear *l = context;
    int first_row = item * l->rows_per_item;
    quantise(l, first_row, min_of(l->rows_per_item, l->num_rows - first_row), l->scratch->codes);
}

// All rows of x in eight bits; done by this worker now unless it has done so for this call before.
static const di_run_codes *quantised_rows(const di_linear *l, di_worker_scratch *own) {
    if (l->is_quantised_once) return l->scratch->codes + l->first_codes;
    if (own->serial != l->serial) {
        quantise(l, 0, l->num_rows, own->codes);
        own->serial = l->serial;
    }
    return own->codes;
}

// From the block of output `first` on, to the block of the last of `num`.
static void multiply_blocks(const di_linear *l, int first, int num, const di_run_codes *codes, int num_rows, float *y,
                            ptrdiff_t y_stride) {
    int first_block = first / DI_BLOCK_ROWS;
    l->tile(l->weight, first_block, ceil_div(first + num, DI_BLOCK_ROWS) - first_block, codes, num_rows, y, y_stride);
}

// Outputs [first, first + num) of some rows. A tile begins at a whole block, up to seven columns before its first.
static void multiply_tile(const di_linear *l, const di_run_codes *codes, int first_row, int num_rows, int first,
                          int num, const di_worker_scratch *own) {
    const di_kernels *kernels = di_kernels_chosen();
    size_t width = row_stride(l, num_outputs(l));
    int stride = (ceil_div(num, DI_BLOCK_ROWS) + BLOCKS_BESIDE) * DI_BLOCK_ROWS;
    codes += (size_t)first_row * (size_t)runs_per_row(l);
    int up_first = first + num_outputs(l);
    float *tiles = own->tiles, *up = own->tiles + DI_TILE_FLOATS;
    multiply_blocks(l, first, num, codes, num_rows, tiles, stride);
    if (l->is_gated) multiply_blocks(l, up_first, num, codes, num_rows, up, stride);
    for (int r = 0; r < num_rows; r++) {
        size_t at = (size_t)(first_row + r) * width + (size_t)first;
        if (l->is_gated) {
            kernels->finish_gate_up(
                tiles + r * stride, up + r * stride + up_first % DI_BLOCK_ROWS, num, l->activation, l->y + at);
            continue;
        }
        kernels->finish_linear(
            tiles + r * stride, num, l->bias ? l->bias + first : 0,
            l->residual && !l->post_norm ? l->residual + at : 0, l->y + at);
        if (l->activation) kernels->activate(l->y + at, num, l->activation);
    }
}

// A panel's part of the products of many rows with outputs [first, first + num), all of which it finishes with the last
// part.
static void multiply_panel(const di_linear *l, const di_run_codes *codes, int first_row, int num_rows, int first, int num,
                           int part, int is_last, float *products, float *up, di_panel *panel) {
    int first_block = first / DI_BLOCK_ROWS, num_blocks = ceil_div(num, DI_BLOCK_ROWS);
    size_t width = row_stride(l, num_outputs(l)), at = (size_t)first_row * width + (size_t)first;
    di_finish finish = {.y = l->y + at,
                        .bias = l->bias ? l->bias + first : 0,
                        .residual = l->residual && !l->post_norm ? l->residual + at : 0,
                        .gate = l->is_gated ? products : 0,
                        .stride = (ptrdiff_t)width,
                        .num_columns = num,
                        .activation = l->activation};
    codes += (size_t)first_row * (size_t)runs_per_row(l);
    l->panel(l->weight, first_block, num_blocks, part, codes, num_rows, products,
             is_last && !l->is_gated ? &finish : 0, panel);
    if (l->is_gated)
        l->panel(l->weight, first_block + num_outputs(l) / DI_BLOCK_ROWS, num_blocks, part, codes, num_rows, up,
                 is_last ? &finish : 0, panel);
}

// Outputs [first, end) of a strip of many rows: all of a panel's columns for some outputs, then for the next few.
static void multiply_panels(const di_linear *l, const di_run_codes *codes, int first_row, int num_rows, int first,
                            int end, const di_worker_scratch *own) {
    int num_columns = l->weight->num_columns, num_parts = ceil_div(num_columns, DI_PANEL_COLUMNS);
    int floats = num_rows * DI_PANEL_ROWS, most = DI_TILE_FLOATS / floats * DI_PANEL_ROWS;
    if (sizeof(di_run_codes) * (size_t)runs_per_row(l) * (size_t)num_rows <= STRIP_CACHED_BYTES) most = DI_PANEL_ROWS;
    for (int start = first; start < end; start += most)
        for (int part = 0; part < num_parts; part++)
            for (int column = start; column < min_of(start + most, end); column += DI_PANEL_ROWS) {
                int slot = (column - start) / DI_PANEL_ROWS * floats;
                multiply_panel(l, codes, first_row, num_rows, column, min_of(DI_PANEL_ROWS, end - column), part,
                               part == num_parts - 1, own->tiles + slot, own->tiles + DI_TILE_FLOATS + slot, own->panel);
            }
}

// One chunk of outputs for one strip of rows: all rows for a few blocks, then for the next few.
static void multiply_item(const void *context, int item, int worker) {
    const di_linear *l = context;
    di_worker_scratch *own = &l->scratch->workers[worker];
    const di_run_codes *codes = quantised_rows(l, own);
    int first_row = item / l->num_chunks * l->rows_per_strip, chunk = item % l->num_chunks;
    int end_row = min_of(first_row + l->rows_per_strip, l->num_rows);
    int first = chunk * l->blocks_per_item * DI_BLOCK_ROWS;
    int end = min_of(first + l->blocks_per_item * DI_BLOCK_ROWS, num_outputs(l));
    int num_rows = end_row - first_row;
    if (is_unpacked(l, num_rows)) {
        multiply_panels(l, codes, first_row, num_rows, first, end, own);
        return;
    }
    int rows_per_tile = min_of(ROWS_PER_TILE, num_rows);
    int most_blocks = DI_TILE_FLOATS / rows_per_tile / DI_BLOCK_ROWS - BLOCKS_BESIDE;
    if (num_rows > rows_per_tile)
        most_blocks = min_of(most_blocks, max_of(1, BLOCKS_BYTES / (int)di_block_bytes(l->weight)));
    int step = most_blocks * DI_BLOCK_ROWS;
    for (int column = first; column < end; column += step)
        for (int row = first_row; row < end_row; row += rows_per_tile)
            multiply_tile(
                l, codes, row, min_of(rows_per_tile, end_row - row), column, min_of(step, end - column), own);
}

static void add_normed_item(const void *context, int item, int worker) {
    (void)worker;
    const di_linear *l = context;
    size_t width = (size_t)num_outputs(l), at = width * (size_t)item;
    di_kernels_chosen()->add_normed_row(l->residual + at, l->post_norm, l->post_norm_eps, (int)width, l->y + at);
}

static int items_per_worker(const di_linear *l, int num_workers) {
    if (l->num_rows >= FEWEST_ROWS_UNPACKED) return MOST_ITEMS_PER_WORKER;
    size_t most = di_weight_bytes(l->weight) / LEAST_ITEM_BYTES / (size_t)num_workers;
    return most < MOST_ITEMS_PER_WORKER ? max_of(1, (int)most) : MOST_ITEMS_PER_WORKER;
}

// How the work is cut into items of multiply_item; how many there are.
static int cut(di_linear *l, int num_workers) {
    size_t row_bytes = sizeof(di_run_codes) * (size_t)runs_per_row(l);
    int most_rows = max_of(ROWS_PER_TILE, STRIP_BYTES / (int)row_bytes / ROWS_PER_TILE * ROWS_PER_TILE);
    if (is_unpacked(l, l->num_rows)) most_rows = UNPACKED_ROWS;
    int num_strips = ceil_div(l->num_rows, most_rows);
    l->rows_per_strip = ceil_div(ceil_div(l->num_rows, num_strips), ROWS_PER_TILE) * ROWS_PER_TILE;
    num_strips = ceil_div(l->num_rows, l->rows_per_strip);
    int num_blocks = ceil_div(num_outputs(l), DI_BLOCK_ROWS);
    int num_items = items_per_worker(l, num_workers) * num_workers;
    int chunks = num_workers == 1 ? 1 : max_of(1, ceil_div(num_items, num_strips));
    l->blocks_per_item = ceil_div(num_blocks, min_of(chunks, num_blocks));
    if (is_unpacked(l, l->rows_per_strip))
        l->blocks_per_item = ceil_div(l->blocks_per_item, DI_PANEL_BLOCKS) * DI_PANEL_BLOCKS;
    l->num_chunks = ceil_div(num_blocks, l->blocks_per_item);
    return l->num_chunks * num_strips;
}

int di_linear_plan(di_linear *l, int num_workers, di_scratch *scratch, di_stage *stages) {
    int num_stages = 0;
    if (l->num_rows == 0) return 0;
    size_t row_bytes = sizeof(di_run_codes) * (size_t)runs_per_row(l);
    l->scratch = scratch;
    l->tile = di_tile_of(l->weight);
    l->panel = di_panel_of(l->weight);
    l->serial = ++scratch->last_serial;
    l->is_quantised_once = num_workers > 1 && l->num_rows > MAX_VALUES_QUANTISED_BY_EACH / l->weight->num_columns;
    size_t bytes = row_bytes * (size_t)l->num_rows;
    if (!(l->is_quantised_once ? di_scratch_grow_shared(scratch, bytes) : di_scratch_grow_workers(scratch, bytes)))
        return -1;
    if (l->is_quantised_once) {
        l->rows_per_item = ceil_div(l->num_rows, num_workers * 4);
        stages[num_stages++] = (di_stage){quantise_item, l, ceil_div(l->num_rows, l->rows_per_item)};
    }
    stages[num_stages++] = (di_stage){multiply_item, l, cut(l, num_workers)};
    if (l->post_norm) stages[num_stages++] = (di_stage){add_normed_item, l, l->num_rows};
    return num_stages;
}

int di_linear_run(di_pool *pool, di_scratch *scratch, di_linear *linear) {
    di_stage stages[DI_LINEAR_MAX_STAGES];
    int num_stages = di_linear_plan(linear, di_pool_num_workers(pool), scratch, stages);
    if (num_stages < 0) return -1;
    di_pool_run(pool, stages, num_stages);
    return 0;
}

typedef struct grouped_call {
    const di_weight *weights;
    di_linear *linears;
    int items_each;
} grouped_call;

static void quantise_group(const void *context, int item, int worker) {
    (void)worker;
    const di_linear *l = &((const grouped_call *)context)->linears[item];
    quantise(l, 0, l->num_rows, l->scratch->codes + l->first_codes);
}

static void multiply_group(const void *context, int item, int worker) {
    const grouped_call *call = context;
    multiply_item(&call->linears[item / call->items_each], item % call->items_each, worker);
}

int di_grouped_linear_run(di_pool *pool, di_scratch *scratch, const di_weight *weight, int32_t num_groups,
                          int32_t num_rows, const float *x, float *y) {
    if (num_rows == 0) return 0;
    int num_workers = di_pool_num_workers(pool), num_outputs_each = weight->num_rows / num_groups;
    size_t num_codes = (size_t)num_rows * (size_t)(weight->num_columns / DI_RUN);
    size_t data_bytes = di_block_bytes(weight) * (size_t)(num_outputs_each / DI_BLOCK_ROWS);
    di_weight *weights = malloc((size_t)num_groups * sizeof *weights);
    di_linear *linears = calloc((size_t)num_groups, sizeof *linears);
    int is_ready =
        weights && linears && di_scratch_grow_shared(scratch, sizeof(di_run_codes) * num_codes * (size_t)num_groups);
    grouped_call call = {weights, linears, 0};
    for (int g = 0; g < num_groups && is_ready; g++) {
        weights[g] = *weight;
        weights[g].data += data_bytes * (size_t)g;
        weights[g].num_rows = num_outputs_each;
        linears[g] = (di_linear){
            .weight = &weights[g],
            .num_rows = num_rows,
            .num_groups = num_groups,
            .x = x + (size_t)g * (size_t)weight->num_columns,
            .y = y + (size_t)g * (size_t)num_outputs_each,
            .scratch = scratch,
            .tile = di_tile_of(weight),
            .panel = di_panel_of(weight),
            .is_quantised_once = 1,
            .first_codes = (int64_t)num_codes * g,
        };
        // Where there are groups enough, each is one worker's.
        call.items_each = cut(&linears[g], num_groups < num_workers ? num_workers : 1);
    }
    if (is_ready) {
        di_stage stages[] = {
            {quantise_group, &call, num_groups}, {multiply_group, &call, num_groups * call.items_each}};
        di_pool_run(pool, stages, 2);
    }
    free(linears);
    free(weights);
    return is_ready ? 0 : -1;
}
