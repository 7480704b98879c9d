// One item of a layer's attention: rows of one sequence, all query heads of one kv head, some chunks of keys.
//
//   folded rows: row 0 head 0, row 0 head 1, .., row 1 head 0, ..  (heads that read the same kv head)
//
//   scores [folded, 128] = q [folded, dim] . keys [128, dim]     a few rows x 4 keys in registers, lanes along dim
//   weights = exp(scores - their maximum)
//   result [folded, dim] = weights [folded, 128] . values        a few rows x 32 dims in registers, key after key
//
// Each score and each sum is added up in an order that depends on the keys' positions alone, whichever rows are beside.
// Where many rows share the keys, or head_dim is no multiple of 16, keys and values are first written out as float32, and
// scores are of a few rows x 16 keys in registers, lanes along the keys: see attention_scores.h. Pools of half floats and of
// codes are another matter where the processor multiplies in pairs: see attention_pairs.h.
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "attention_scores.h"
#include "attention_softmax.h"
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
    DIM_RUN = 4,  // vectors of a value in registers
    WIDE_RUN = 2 * DIM_RUN, // of values that are written out, where registers hold two of these vectors
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
    int fetches_values = first_row == 0;
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

INLINE void add_values(const tile *t, int first_row, int num_rows, key_range keys, int offset, int num_vectors,
                       int format) {
    const float *weights = t->scores + (int64_t)first_row * DI_CHUNK_KEYS;
    float *out = t->chunk_out + (int64_t)first_row * t->dim + offset;
    int fetches_keys = first_row == 0 && offset == 0 && !t->is_written_out;
    vf sums[ROW_GROUP][DIM_RUN];
    for (int r = 0; r < num_rows; r++)
        for (int n = 0; n < num_vectors; n++) sums[r][n] = vf_load(out + (int64_t)r * t->dim + n * VF_LANES);
    for (int key = keys.first; key < keys.end; key++) {
        const void *value_row = value_of(t, key);
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

// The same for values that are written out, in vectors of sixteen lanes.
INLINE void add_wide_values(const tile *t, int first_row, int num_rows, key_range keys, int offset) {
#if defined(__AVX512VNNI__)
    const float *weights = t->scores + (int64_t)first_row * DI_CHUNK_KEYS;
    const float *values = t->written_values + offset;
    float *out = t->chunk_out + (int64_t)first_row * t->dim + offset;
    vf16 sums[ROW_GROUP][DIM_RUN];
    for (int r = 0; r < num_rows; r++)
        for (int n = 0; n < DIM_RUN; n++) sums[r][n] = vf16_load(out + (int64_t)r * t->dim + n * SIXTEEN);
    for (int key = keys.first; key < keys.end; key++) {
        vf16 value[DIM_RUN];
        for (int n = 0; n < DIM_RUN; n++) value[n] = vf16_load(values + (int64_t)key * t->dim + n * SIXTEEN);
        for (int r = 0; r < num_rows; r++) {
            vf16 w = vf16_broadcast(weights + r * DI_CHUNK_KEYS + key);
            for (int n = 0; n < DIM_RUN; n++) sums[r][n] = vf16_fma(w, value[n], sums[r][n]);
        }
    }
    for (int r = 0; r < num_rows; r++)
        for (int n = 0; n < DIM_RUN; n++) vf16_store(out + (int64_t)r * t->dim + n * SIXTEEN, sums[r][n]);
#else
    add_values(t, first_row, num_rows, keys, offset, DIM_RUN, DI_KV_FLOAT);
    add_values(t, first_row, num_rows, keys, offset + DIM_RUN * VF_LANES, DIM_RUN, DI_KV_FLOAT);
#endif
}

static void add_wide_rows(const tile *t, int first_row, int num_rows, key_range keys, int offset) {
    switch (num_rows) {
    case 1: add_wide_values(t, first_row, 1, keys, offset); break;
    case 2: add_wide_values(t, first_row, 2, keys, offset); break;
    case 3: add_wide_values(t, first_row, 3, keys, offset); break;
    default: add_wide_values(t, first_row, ROW_GROUP, keys, offset);
    }
}

INLINE void add_value_rows(const tile *t, int first_row, int num_rows, key_range keys, int offset, int num_vectors) {
    if (keys.first >= keys.end) return;
    if (num_vectors == WIDE_RUN) {
        add_wide_rows(t, first_row, num_rows, keys, offset);
        return;
    }
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
    int offset = 0, run = t->is_written_out ? WIDE_RUN : DIM_RUN;
    while (offset < t->dim) {
        while (offset + run * VF_LANES > t->dim) run /= 2;
        for (int row = 0, num_rows; row < t->num_folded; row += num_rows) {
            num_rows = rows_of_group(t->num_folded - row);
            if (run == WIDE_RUN) value_group(t, row, num_rows, chunk_start, offset, WIDE_RUN);
            else if (run == 4) value_group(t, row, num_rows, chunk_start, offset, 4);
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
        if (!t->is_in_pairs) write_keys(t, seen);
        find_next_keys(t, chunk, seen);
        if (t->is_in_pairs) score_in_pairs(t, start, seen);
        else score_written(t, start, seen);
    } else {
        score_chunk(t, start, seen);
    }
    // By now the values are on their way.
    if (has_scales(t)) read_scales(t, seen);
    for (int row = 0; row < t->num_folded; row += VF_LANES)
        weigh_rows(t, row, t->num_folded - row < VF_LANES ? t->num_folded - row : VF_LANES, start);
    if (!t->is_written_out) find_next_keys(t, chunk, seen);
    if (t->is_in_pairs) add_in_pairs(t, start, seen);
    else add_chunk(t, start);
    const char **done = t->key_rows;
    t->key_rows = t->next_key_rows;
    t->next_key_rows = done;
}

// out = out * old_share + chunk_out * new_share
static void mix(float *out, const float *chunk_out, int dim, float old_share, float new_share) {
    int d = 0;
#if defined(__AVX512VNNI__)
    for (; d + SIXTEEN <= dim; d += SIXTEEN)
        vf16_store(out + d, vf16_fma(vf16_load(out + d), vf16_set(old_share),
                                     vf16_mul(vf16_load(chunk_out + d), vf16_set(new_share))));
#endif
    for (; d < dim; d += VF_LANES)
        vf_store(out + d, vf_fma(vf_load(out + d), vf_set(old_share), vf_mul(vf_load(chunk_out + d), vf_set(new_share))));
}

// One more chunk of up to eight rows, in the order of the chunks: maxima, sums and vectors.
static void merge_rows(const tile *t, int first_row, int num_rows, const float *chunk_max, const float *chunk_sum,
                       const float *chunk_out) {
    size_t bytes = (size_t)num_rows * sizeof(float);
    float old_max[VF_LANES] = {0}, new_max[VF_LANES] = {0}, old_sum[VF_LANES] = {0}, new_sum[VF_LANES] = {0};
    memcpy(old_max, t->max + first_row, bytes);
    memcpy(old_sum, t->sum + first_row, bytes);
    memcpy(new_max, chunk_max, bytes);
    memcpy(new_sum, chunk_sum, bytes);
    vf maximum = vf_max(vf_load(old_max), vf_load(new_max));
    vf old_share = vf_exp(vf_sub(vf_load(old_max), maximum)), new_share = vf_exp(vf_sub(vf_load(new_max), maximum));
    vf sum = vf_fma(vf_load(old_sum), old_share, vf_mul(vf_load(new_sum), new_share));
    float maxima[VF_LANES], sums[VF_LANES], old_shares[VF_LANES], new_shares[VF_LANES];
    vf_store(maxima, maximum);
    vf_store(sums, sum);
    vf_store(old_shares, old_share);
    vf_store(new_shares, new_share);
    for (int r = 0; r < num_rows; r++, chunk_out += t->dim) {
        int row = first_row + r;
        float *out = t->out + (int64_t)row * t->dim;
        if (new_max[r] == -INFINITY) continue;
        int is_first = old_max[r] == -INFINITY;
        t->max[row] = is_first ? new_max[r] : maxima[r];
        t->sum[row] = is_first ? new_sum[r] : sums[r];
        if (is_first) memcpy(out, chunk_out, (size_t)t->dim * sizeof(float));
        else mix(out, chunk_out, t->dim, old_shares[r], new_shares[r]);
    }
}

static void merge(const tile *t, const float *chunk_max, const float *chunk_sum, const float *chunk_out) {
    for (int row = 0; row < t->num_folded; row += VF_LANES)
        merge_rows(t, row, t->num_folded - row < VF_LANES ? t->num_folded - row : VF_LANES, chunk_max + row,
                   chunk_sum + row, chunk_out + (int64_t)row * t->dim);
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
        merge(t, partial, partial + t->num_folded, partial + 2 * t->num_folded);
    }
    write_rows(t);
}

void DI_NAME(di_attend)(const void *context, int item_index, int worker) {
    const di_attention *layer = context;
    const di_attention_item *item = &layer->plan->items[item_index];
    tile t = open_tile(layer, item, worker);
    if (t.is_in_pairs) code_queries(&t);
    else read_queries(&t);
    di_attention_split *split = item->split < 0 ? NULL : &layer->plan->splits[item->split];
    if (!split) start_rows(&t);
    int64_t start = (int64_t)item->first_chunk * DI_CHUNK_KEYS;
    key_range seen = seen_by_some(&t, 0, t.num_folded, start);
    find_keys(&t, t.key_rows, start, seen);
    int reads_pool = !t.is_written_out || t.is_in_pairs;
    for (int key = seen.first; reads_pool && key < seen.end; key++) prefetch_row(t.key_rows[key], t.row_bytes);
    for (int chunk = item->first_chunk; chunk < item->end_chunk; chunk++) {
        attend_chunk(&t, chunk);
        if (split) leave_partial(&t, partial_of(&t, split, chunk));
        else merge(&t, t.chunk_max, t.chunk_sum, t.chunk_out);
    }
    if (!split) {
        write_rows(&t);
    } else if (__atomic_add_fetch(&split->num_ended, 1, __ATOMIC_ACQ_REL) == split->num_items) {
        split->num_ended = 0;
        merge_partials(&t, split);
    }
}
