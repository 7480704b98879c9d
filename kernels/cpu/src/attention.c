// One item of a layer's attention: rows of one sequence, all query heads of one kv head, some chunks of keys.
//
//   folded rows: row 0 head 0, row 0 head 1, .., row 1 head 0, ..  (heads that read the same kv head)
//
//   scores [folded, 128] = q [folded, dim] . keys [128, dim]     a few rows x 4 keys in registers, lanes along dim
//   weights = exp(scores - their maximum)
//   result [folded, dim] = weights [folded, 128] . values        a few rows x 32 dims in registers, key after key
//
// Each score and each sum is added up in an order that depends on the keys' positions alone, whichever rows are beside.
// Where many rows share the keys, or head_dim is no multiple of 8, keys and values are first written out as float32.
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "attention_tile.h"
#include "kernels.h"
#include "simd.h"

// Rows in registers, beside KEY_GROUP keys or DIM_RUN vectors of a value: there are 32 of them, or 16.
#if defined(__AVX512VNNI__)
enum { ROW_GROUP = 6 };
#else
enum { ROW_GROUP = 3 };
#endif

enum {
    SMALL_GROUP = 3, // of the rows that are left
    KEY_RUN = 32, // keys that stay in the first-level cache while all rows pass
    DIM_RUN = 4,  // vectors of a value in registers
    DI_KV_FORMATS = 3,
};

INLINE void score_group(const float *q, int num_rows, const char *const *keys, int format, int dim, float *scores) {
    vf sums[ROW_GROUP][KEY_GROUP];
    for (int r = 0; r < num_rows; r++)
        for (int k = 0; k < KEY_GROUP; k++) sums[r][k] = vf_zero();
    for (int d = 0; d < dim; d += VF_LANES) {
        vf x[ROW_GROUP];
        for (int r = 0; r < num_rows; r++) x[r] = vf_load(q + (int64_t)r * dim + d);
        for (int k = 0; k < KEY_GROUP; k++) {
            vf key = load(keys[k], d, format);
            for (int r = 0; r < num_rows; r++) sums[r][k] = vf_fma(x[r], key, sums[r][k]);
        }
    }
    for (int r = 0; r < num_rows; r++)
        vf_store_4_sums(scores + (int64_t)r * DI_CHUNK_KEYS, sums[r][0], sums[r][1], sums[r][2], sums[r][3]);
}

// A function for each number of rows and each format, so that loops and loads are of constants.
#define DI_EACH_CASE                                                                                                  \
    DI_CASE(1, DI_KV_FLOAT) DI_CASE(1, DI_KV_HALF) DI_CASE(1, DI_KV_INT8)                                             \
    DI_CASE(2, DI_KV_FLOAT) DI_CASE(2, DI_KV_HALF) DI_CASE(2, DI_KV_INT8)                                             \
    DI_CASE(3, DI_KV_FLOAT) DI_CASE(3, DI_KV_HALF) DI_CASE(3, DI_KV_INT8) DI_LARGE_CASES

#if defined(__AVX512VNNI__)
#define DI_LARGE_CASES DI_CASE(6, DI_KV_FLOAT) DI_CASE(6, DI_KV_HALF) DI_CASE(6, DI_KV_INT8)
#else
#define DI_LARGE_CASES
#endif

static int rows_of_group(int num_left) {
    if (num_left >= ROW_GROUP) return ROW_GROUP;
    return num_left < SMALL_GROUP ? num_left : SMALL_GROUP;
}

INLINE void score_keys(const tile *t, int first_row, int num_rows, key_range keys, int format) {
    const float *q = t->q + (int64_t)first_row * t->dim;
    float *scores = t->scores + (int64_t)first_row * DI_CHUNK_KEYS;
    int fetches_values = first_row == 0 && !t->is_written_out;
    for (int key = keys.first & ~(KEY_GROUP - 1); key < keys.end; key += KEY_GROUP) {
        for (int k = 0; fetches_values && k < KEY_GROUP; k++)
            prefetch_row(t->key_rows[key + k] + t->to_value, t->row_bytes);
        score_group(q, num_rows, t->key_rows + key, format, t->dim, scores + key);
    }
}

static void score_rows(const tile *t, int first_row, int num_rows, key_range keys) {
#define DI_CASE(rows, format)                                                                                         \
    case (rows) * DI_KV_FORMATS + (format): score_keys(t, first_row, rows, keys, format); break;
    switch (num_rows * DI_KV_FORMATS + t->format) { DI_EACH_CASE }
#undef DI_CASE
}

static void score_chunk(const tile *t, int64_t chunk_start, key_range seen) {
    for (int run = seen.first & ~(KEY_RUN - 1); run < seen.end; run += KEY_RUN)
        for (int row = 0, num_rows; row < t->num_folded; row += num_rows) {
            num_rows = rows_of_group(t->num_folded - row);
            key_range keys = seen_by_some(t, row, num_rows, chunk_start);
            if (keys.first < run) keys.first = run;
            if (keys.end > run + KEY_RUN) keys.end = run + KEY_RUN;
            if (keys.first < keys.end) score_rows(t, row, num_rows, keys);
        }
}

// Of whole vectors of numbers.
static float largest_of(const float *numbers, int count) {
    vf a = vf_load(numbers), b = a;
    int i = VF_LANES;
    for (; i + 2 * VF_LANES <= count; i += 2 * VF_LANES) {
        a = vf_max(a, vf_load(numbers + i));
        b = vf_max(b, vf_load(numbers + i + VF_LANES));
    }
    if (i < count) a = vf_max(a, vf_load(numbers + i));
    float lanes[VF_LANES];
    vf_store(lanes, vf_max(a, b));
    float largest = lanes[0];
    for (int j = 1; j < VF_LANES; j++) largest = lanes[j] > largest ? lanes[j] : largest;
    return largest;
}

static void scale(float *numbers, const float *scales, int first, int end) {
    for (int i = first; i < end; i += VF_LANES) vf_store(numbers + i, vf_mul(vf_load(numbers + i), vf_load(scales + i)));
}

// Scores of one row to weights in place; keys that it does not see weigh 0, as far as whole vectors reach. Where values
// are codes, their scales go into the weights, after the sum.
static void weigh(const tile *t, int row, key_range seen) {
    float *scores = t->scores + (int64_t)row * DI_CHUNK_KEYS, softcap = t->layer->softcap;
    int first = seen.first & ~(VF_LANES - 1), end = (seen.end + VF_LANES - 1) & ~(VF_LANES - 1);
    if (has_scales(t)) scale(scores, t->key_scales, first, end);
    for (int key = first; key < seen.first; key++) scores[key] = -INFINITY;
    for (int key = seen.end; key < end; key++) scores[key] = -INFINITY;
    if (softcap != 0.0f)
        for (int key = first; key < end; key += VF_LANES) {
            vf capped = vf_tanh(vf_div(vf_load(scores + key), vf_set(softcap)));
            vf_store(scores + key, vf_mul(capped, vf_set(softcap)));
        }
    // a capped minus infinity is still the least there can be, so it changes no maximum
    float maximum = largest_of(scores + first, end - first);
    vf sum = vf_zero();
    for (int key = first; key < end; key += VF_LANES) {
        vf weight = vf_exp(vf_sub(vf_load(scores + key), vf_set(maximum)));
        vf_store(scores + key, weight);
        if (key < seen.first || key + VF_LANES > seen.end) {
            for (int k = key; k < key + VF_LANES; k++)
                if (k < seen.first || k >= seen.end) scores[k] = 0.0f;
            weight = vf_load(scores + key);
        }
        sum = vf_add(sum, weight);
    }
    t->chunk_max[row] = maximum;
    t->chunk_sum[row] = vf_sum(sum);
    if (has_scales(t)) scale(scores, t->value_scales, first, end);
}

INLINE void add_values(const tile *t, int first_row, int num_rows, key_range keys, int offset, int num_vectors,
                       int format) {
    const float *weights = t->scores + (int64_t)first_row * DI_CHUNK_KEYS;
    float *out = t->chunk_out + (int64_t)first_row * t->dim + offset;
    int fetches_keys = first_row == 0 && offset == 0 && !t->is_written_out;
    vf sums[ROW_GROUP][DIM_RUN];
    for (int r = 0; r < num_rows; r++)
        for (int n = 0; n < num_vectors; n++) sums[r][n] = vf_load(out + (int64_t)r * t->dim + n * VF_LANES);
    for (int key = keys.first; key < keys.end; key++) {
        const char *value_row = t->key_rows[key] + t->to_value;
        if (fetches_keys) prefetch_row(t->next_key_rows[key], t->row_bytes);
        vf w[ROW_GROUP];
        for (int r = 0; r < num_rows; r++) w[r] = vf_broadcast(weights + r * DI_CHUNK_KEYS + key);
        for (int n = 0; n < num_vectors; n++) {
            vf value = load(value_row, offset + n * VF_LANES, format);
            for (int r = 0; r < num_rows; r++) sums[r][n] = vf_fma(w[r], value, sums[r][n]);
        }
    }
    for (int r = 0; r < num_rows; r++)
        for (int n = 0; n < num_vectors; n++) vf_store(out + (int64_t)r * t->dim + n * VF_LANES, sums[r][n]);
}

INLINE void add_value_rows(const tile *t, int first_row, int num_rows, key_range keys, int offset, int num_vectors) {
    if (keys.first >= keys.end) return;
#define DI_CASE(rows, format)                                                                                         \
    case (rows) * DI_KV_FORMATS + (format): add_values(t, first_row, rows, keys, offset, num_vectors, format); break;
    switch (num_rows * DI_KV_FORMATS + t->format) { DI_EACH_CASE }
#undef DI_CASE
}

// A few rows times some dims: keys that all of them see together, and those before and after row by row, so that no
// row is touched by a value that it does not see, not even times 0.
INLINE void value_group(const tile *t, int row, int num_rows, int64_t chunk_start, int offset, int num_vectors) {
    key_range shared = {seen_by(t, row + num_rows - 1, chunk_start).first, seen_by(t, row, chunk_start).end};
    if (shared.end < shared.first) shared.end = shared.first;
    for (int r = row; r < row + num_rows; r++) {
        key_range before = {seen_by(t, r, chunk_start).first, seen_by(t, r, chunk_start).end};
        if (before.end > shared.first) before.end = shared.first;
        add_value_rows(t, r, 1, before, offset, num_vectors);
    }
    add_value_rows(t, row, num_rows, shared, offset, num_vectors);
    for (int r = row; r < row + num_rows; r++) {
        key_range after = {seen_by(t, r, chunk_start).first, seen_by(t, r, chunk_start).end};
        if (after.first < shared.end) after.first = shared.end;
        add_value_rows(t, r, 1, after, offset, num_vectors);
    }
}

static void add_chunk(const tile *t, int64_t chunk_start) {
    memset(t->chunk_out, 0, (size_t)t->num_folded * (size_t)t->dim * sizeof(float));
    int offset = 0, run = DIM_RUN;
    while (offset < t->dim) {
        while (offset + run * VF_LANES > t->dim) run /= 2;
        for (int row = 0, num_rows; row < t->num_folded; row += num_rows) {
            num_rows = rows_of_group(t->num_folded - row);
            if (run == 4) value_group(t, row, num_rows, chunk_start, offset, 4);
            else if (run == 2) value_group(t, row, num_rows, chunk_start, offset, 2);
            else value_group(t, row, num_rows, chunk_start, offset, 1);
        }
        offset += run * VF_LANES;
    }
}

// Find the keys that are fetched while values are added up: of the item's next chunk, or else of the first chunk of the
// item that this worker is likely to take next. Where they are fewer, the rest fetches something harmless.
static void find_next_keys(const tile *t, int chunk, key_range seen) {
    const di_attention_plan *plan = t->layer->plan;
    for (int key = 0; key < DI_CHUNK_KEYS; key++) t->next_key_rows[key] = t->key_rows[seen.first];
    tile next = *t;
    if (++chunk == t->item->end_chunk) {
        int64_t next_item = t->item - plan->items + plan->num_workers;
        if (next_item >= plan->num_items) return;
        next = open_tile(t->layer, &plan->items[next_item], 0);
        chunk = next.item->first_chunk;
    }
    int64_t start = (int64_t)chunk * DI_CHUNK_KEYS;
    find_keys(&next, t->next_key_rows, start, seen_by_some(&next, 0, next.num_folded, start));
}

// The chunk's maximum, sum and vector of every row; the maximum is minus infinity where a row sees none of it. Its keys
// have been found; those of the next chunk, if the item has one, are found and fetched on the way.
static void attend_chunk(tile *t, int chunk) {
    int64_t start = (int64_t)chunk * DI_CHUNK_KEYS;
    key_range seen = seen_by_some(t, 0, t->num_folded, start);
    if (t->is_written_out) {
        if (has_scales(t)) read_scales(t, seen);
        write_keys(t, seen);
    }
    score_chunk(t, start, seen);
    // By now the values are on their way.
    if (!t->is_written_out && has_scales(t)) read_scales(t, seen);
    for (int row = 0; row < t->num_folded; row++) {
        key_range range = seen_by(t, row, start);
        if (range.first < range.end) {
            weigh(t, row, range);
        } else {
            t->chunk_max[row] = -INFINITY;
            t->chunk_sum[row] = 0.0f;
        }
    }
    find_next_keys(t, chunk, seen);
    add_chunk(t, start);
    const char **done = t->key_rows;
    t->key_rows = t->next_key_rows;
    t->next_key_rows = done;
}

// One more chunk of one row, in the order of the chunks.
static void merge(const tile *t, int row, float chunk_max, float chunk_sum, const float *chunk_out) {
    float *out = t->out + (int64_t)row * t->dim;
    if (chunk_max == -INFINITY) return;
    if (t->max[row] == -INFINITY) {
        t->max[row] = chunk_max;
        t->sum[row] = chunk_sum;
        memcpy(out, chunk_out, (size_t)t->dim * sizeof(float));
        return;
    }
    float maximum = t->max[row] > chunk_max ? t->max[row] : chunk_max;
    vf old_share = vf_exp(vf_set(t->max[row] - maximum)), new_share = vf_exp(vf_set(chunk_max - maximum));
    float lanes[VF_LANES];
    vf_store(lanes, vf_fma(vf_set(t->sum[row]), old_share, vf_mul(vf_set(chunk_sum), new_share)));
    t->sum[row] = lanes[0];
    t->max[row] = maximum;
    for (int d = 0; d < t->dim; d += VF_LANES)
        vf_store(out + d, vf_fma(vf_load(out + d), old_share, vf_mul(vf_load(chunk_out + d), new_share)));
}

static void start_rows(const tile *t) {
    for (int row = 0; row < t->num_folded; row++) {
        t->max[row] = -INFINITY;
        t->sum[row] = 0.0f;
    }
}

static void write_rows(const tile *t) {
    int head_dim = t->layer->plan->shape.head_dim;
    for (int row = 0; row < t->num_folded; row++) {
        float *target = t->layer->out + place_of(t, row), *out = t->out + (int64_t)row * t->dim;
        float share = 1.0f / t->sum[row];
        for (int d = 0; d < head_dim; d++) target[d] = out[d] * share;
    }
}

static float *partial_of(const tile *t, const di_attention_split *split, int chunk) {
    int64_t chunk_floats = (int64_t)t->num_folded * (t->dim + 2);
    return t->layer->plan->partials + split->first_partial + (chunk - split->first_chunk) * chunk_floats;
}

// Partial results of one chunk: all maxima, all sums, all vectors.
static void leave_partial(const tile *t, float *partial) {
    size_t rows = (size_t)t->num_folded;
    memcpy(partial, t->chunk_max, rows * sizeof(float));
    memcpy(partial + rows, t->chunk_sum, rows * sizeof(float));
    memcpy(partial + 2 * rows, t->chunk_out, rows * (size_t)t->dim * sizeof(float));
}

static void merge_partials(const tile *t, const di_attention_split *split) {
    start_rows(t);
    for (int chunk = split->first_chunk; chunk < split->end_chunk; chunk++) {
        const float *partial = partial_of(t, split, chunk);
        for (int row = 0; row < t->num_folded; row++)
            merge(t, row, partial[row], partial[t->num_folded + row],
                  partial + 2 * t->num_folded + (int64_t)row * t->dim);
    }
    write_rows(t);
}

void DI_NAME(di_attend)(const void *context, int item_index, int worker) {
    const di_attention *layer = context;
    const di_attention_item *item = &layer->plan->items[item_index];
    tile t = open_tile(layer, item, worker);
    read_queries(&t);
    di_attention_split *split = item->split < 0 ? NULL : &layer->plan->splits[item->split];
    if (!split) start_rows(&t);
    int64_t start = (int64_t)item->first_chunk * DI_CHUNK_KEYS;
    key_range seen = seen_by_some(&t, 0, t.num_folded, start);
    find_keys(&t, t.key_rows, start, seen);
    for (int key = seen.first; !t.is_written_out && key < seen.end; key++) prefetch_row(t.key_rows[key], t.row_bytes);
    for (int chunk = item->first_chunk; chunk < item->end_chunk; chunk++) {
        attend_chunk(&t, chunk);
        if (split) {
            leave_partial(&t, partial_of(&t, split, chunk));
        } else {
            for (int row = 0; row < t.num_folded; row++)
                merge(&t, row, t.chunk_max[row], t.chunk_sum[row], t.chunk_out + (int64_t)row * t.dim);
        }
    }
    if (!split) {
        write_rows(&t);
    } else if (__atomic_add_fetch(&split->num_ended, 1, __ATOMIC_ACQ_REL) == split->num_items) {
        split->num_ended = 0;
        merge_partials(&t, split);
    }
}
