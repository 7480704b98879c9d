// One item's view of the keys: which rows it has, which keys they see, and where keys, values and scales lie – in the pool,
// or written out as float32. Included by attention.c alone; computes nothing.
#ifndef DI_ATTENTION_TILE_H
#define DI_ATTENTION_TILE_H

#include <stdint.h>
#include <string.h>

#include "align.h"
#include "attention.h"
#include "simd.h"

#define INLINE static inline __attribute__((always_inline))

enum {
    KEY_GROUP = 4,    // keys in registers
    KEY_BLOCK = 16,   // keys that are written out side by side
    KEY_RUN = 32,     // keys that stay in the first-level cache while all rows pass
    SMALL_GROUP = 3,  // rows in registers
    CACHE_LINE = 64,
    DIRECT_ROWS = 24, // up to so many folded rows read the pool
};

typedef struct tile {
    const di_attention *layer;
    const di_attention_item *item;
    int group, num_folded, dim; // dim: head_dim padded to whole vectors
    int64_t first_position;     // of row 0
    int format; // of what key_rows point to
    int is_written_out, is_in_pairs;
    const char **key_rows;      // [128] of the chunk under way
    const char **next_key_rows; // [128] of the chunk after it, where the tile reads the pool
    intptr_t to_value;          // bytes from a key to its value
    int row_bytes;
    float *written_keys;                  // [128 / 16, dim, 16], see attention_scores.h
    float *written_values;                // [128, dim]
    float *key_scales, *value_scales;     // [128], where the pool holds codes
    float *q;                             // [folded, dim], scaled; or codes, see attention_pairs.h
    float *q_scales;                      // [folded], of codes
    float *scores;                        // [folded, 128]
    float *chunk_out, *chunk_max, *chunk_sum; // [folded, dim], [folded], [folded]: the chunk under way
    float *out, *max, *sum;                   // all chunks so far
} tile;

typedef struct key_range {
    int first, end; // within the chunk
} key_range;

// Whether this variant computes on pools of a format in pairs: see attention_pairs.h.
static int takes_pairs(int format);

INLINE vf load(const void *row, int offset, int format) {
    switch (format) {
    case DI_KV_HALF: return vf_load_half((const uint16_t *)row + offset);
    case DI_KV_INT8: return vf_load_bytes((const int8_t *)row + offset);
    default: return vf_load((const float *)row + offset);
    }
}

static float *take(char **scratch, int64_t num_floats) {
    float *taken = (float *)*scratch;
    *scratch += num_floats * (int64_t)sizeof(float);
    return taken;
}

static tile open_tile(const di_attention *layer, const di_attention_item *item, int worker) {
    const di_attention_plan *plan = layer->plan;
    const di_attention_shape *shape = &plan->shape;
    tile t = {.layer = layer, .item = item};
    t.group = shape->num_heads / shape->num_kv_heads;
    t.num_folded = item->num_rows * t.group;
    t.dim = di_padded_head_dim(shape->head_dim);
    int64_t num_rows = plan->batch.query_starts[item->sequence + 1] - plan->batch.query_starts[item->sequence];
    t.first_position = plan->batch.context_lengths[item->sequence] - num_rows + item->first_row;
    t.is_in_pairs = takes_pairs(shape->format);
    t.is_written_out = t.is_in_pairs || t.dim != shape->head_dim || t.num_folded > DIRECT_ROWS;
    t.format = t.is_written_out ? DI_KV_FLOAT : shape->format;
    char *scratch = (char *)di_aligned(plan->scratch) + worker * plan->scratch_bytes;
    t.key_rows = (const char **)scratch;
    t.next_key_rows = t.key_rows + DI_CHUNK_KEYS;
    scratch += 2 * DI_CHUNK_KEYS * sizeof(char *);
    t.row_bytes = di_kv_row_bytes(shape->format, shape->head_dim);
    t.written_keys = take(&scratch, DI_CHUNK_KEYS * t.dim);
    t.written_values = take(&scratch, DI_CHUNK_KEYS * t.dim);
    t.key_scales = take(&scratch, DI_CHUNK_KEYS);
    t.value_scales = take(&scratch, DI_CHUNK_KEYS);
    t.to_value = (intptr_t)layer->values - (intptr_t)layer->keys;
    t.scores = take(&scratch, (int64_t)t.num_folded * DI_CHUNK_KEYS);
    t.q = take(&scratch, (int64_t)((t.num_folded + VF_LANES - 1) & ~(VF_LANES - 1)) * t.dim);
    t.q_scales = take(&scratch, t.num_folded);
    t.chunk_out = take(&scratch, (int64_t)t.num_folded * t.dim);
    t.out = take(&scratch, (int64_t)t.num_folded * t.dim);
    t.chunk_max = take(&scratch, t.num_folded);
    t.chunk_sum = take(&scratch, t.num_folded);
    t.max = take(&scratch, t.num_folded);
    t.sum = take(&scratch, t.num_folded);
    return t;
}

// Where row `folded` of the tile lies in q and out, in floats.
static int64_t place_of(const tile *t, int folded) {
    const di_attention_plan *plan = t->layer->plan;
    int64_t row = plan->batch.query_starts[t->item->sequence] + t->item->first_row + folded / t->group;
    int64_t head = (int64_t)t->item->kv_head * t->group + folded % t->group;
    return (row * plan->shape.num_heads + head) * plan->shape.head_dim;
}

static const float *query_of(const tile *t, int folded) { return t->layer->q + place_of(t, folded); }

static void read_queries(tile *t) {
    int head_dim = t->layer->plan->shape.head_dim;
    for (int row = 0; row < t->num_folded; row++) {
        const float *source = query_of(t, row);
        float *target = t->q + (int64_t)row * t->dim;
        for (int d = 0; d < t->dim; d++) target[d] = d < head_dim ? source[d] * t->layer->scale : 0.0f;
    }
}

// The keys of a chunk that a row sees; empty if `end <= first`.
static key_range seen_by(const tile *t, int folded, int64_t chunk_start) {
    int64_t position = t->first_position + folded / t->group, window = t->layer->plan->shape.window;
    int64_t first = window ? position - window + 1 - chunk_start : 0, end = position + 1 - chunk_start;
    key_range range = {first > 0 ? (int)(first < DI_CHUNK_KEYS ? first : DI_CHUNK_KEYS) : 0,
                       end < DI_CHUNK_KEYS ? (int)(end > 0 ? end : 0) : DI_CHUNK_KEYS};
    return range;
}

static key_range seen_by_some(const tile *t, int first_row, int num_rows, int64_t chunk_start) {
    key_range range = {seen_by(t, first_row, chunk_start).first, seen_by(t, first_row + num_rows - 1, chunk_start).end};
    return range;
}

// Lanes of a row from `offset` on; those beyond head_dim are 0.
INLINE vf load_lanes(const char *row, int offset, int head_dim, int format) {
    if (offset + VF_LANES <= head_dim) return load(row, offset, format);
    if (offset >= head_dim) return vf_zero();
    int element_bytes = format == DI_KV_FLOAT ? (int)sizeof(float) : format == DI_KV_HALF ? (int)sizeof(uint16_t) : 1;
    float lanes[VF_LANES] = {0};
    memcpy(lanes, row + offset * element_bytes, (size_t)((head_dim - offset) * element_bytes));
    return load(lanes, 0, format);
}

static const char *pool_row(const tile *t, const void *pool, int64_t key) {
    const di_attention_plan *plan = t->layer->plan;
    const di_attention_shape *shape = &plan->shape;
    int64_t block = plan->batch.block_tables[t->item->sequence][key / shape->block_size];
    int64_t row = (block * shape->num_kv_heads + t->item->kv_head) * shape->block_size + key % shape->block_size;
    return (const char *)pool + row * t->row_bytes;
}

// Point key_rows at the seen keys of a chunk in the pool, a block's keys at a time. Their neighbours up to the next whole
// block of keys are pointed at a seen key: what is computed of them is thrown away, but it has to be readable.
static void find_keys(const tile *t, const char **key_rows, int64_t chunk_start, key_range seen) {
    int64_t block_size = t->layer->plan->shape.block_size;
    for (int key = seen.first; key < seen.end;) {
        int64_t left = block_size - (chunk_start + key) % block_size;
        int end = left < seen.end - key ? key + (int)left : seen.end;
        const char *row = pool_row(t, t->layer->keys, chunk_start + key);
        for (; key < end; key++, row += t->row_bytes) key_rows[key] = row;
    }
    for (int key = seen.first & ~(KEY_RUN - 1); key < seen.first; key++) key_rows[key] = key_rows[seen.first];
    for (int key = seen.end; key & (KEY_RUN - 1); key++) key_rows[key] = key_rows[seen.first];
}

INLINE void write_block(const tile *t, int first, int head_dim, int format) {
    float *target = t->written_keys + (int64_t)first * t->dim;
    for (int d = 0; d < t->dim; d += VF_LANES)
        for (int half = 0; half < KEY_BLOCK; half += VF_LANES) {
            vf keys[VF_LANES];
            for (int i = 0; i < VF_LANES; i++)
                keys[i] = load_lanes(t->key_rows[first + half + i], d, head_dim, format);
            vf_transpose(keys);
            for (int i = 0; i < VF_LANES; i++) vf_store(target + (int64_t)(d + i) * KEY_BLOCK + half, keys[i]);
        }
}

INLINE void write_value(const tile *t, int key, int head_dim, int format) {
    float *target = t->written_values + (int64_t)key * t->dim;
    for (int d = 0; d < t->dim; d += VF_LANES)
        vf_store(target + d, load_lanes(t->key_rows[key] + t->to_value, d, head_dim, format));
}

INLINE void write_all(const tile *t, key_range seen, int head_dim, int format) {
    for (int first = seen.first & ~(KEY_BLOCK - 1); first < seen.end; first += KEY_BLOCK)
        write_block(t, first, head_dim, format);
    for (int key = seen.first; key < seen.end; key++) write_value(t, key, head_dim, format);
}

// Write the seen keys and values out in float32. Neighbours of the keys in their blocks are copies of a seen one.
static void write_keys(const tile *t, key_range seen) {
    int head_dim = t->layer->plan->shape.head_dim;
    switch (t->layer->plan->shape.format) {
    case DI_KV_HALF: write_all(t, seen, head_dim, DI_KV_HALF); break;
    case DI_KV_INT8: write_all(t, seen, head_dim, DI_KV_INT8); break;
    default: write_all(t, seen, head_dim, DI_KV_FLOAT);
    }
}

// The value of a key, as `format` says.
INLINE const void *value_of(const tile *t, int key) {
    if (t->is_written_out) return t->written_values + (int64_t)key * t->dim;
    return t->key_rows[key] + t->to_value;
}

static int has_scales(const tile *t) { return t->layer->plan->shape.format == DI_KV_INT8; }

// The scales of the seen keys and values, and 0 beside them as far as whole vectors reach. key_rows point to the pool.
static void read_scales(const tile *t, key_range seen) {
    int head_dim = t->layer->plan->shape.head_dim;
    int first = seen.first & ~(VF_LANES - 1), end = (seen.end + VF_LANES - 1) & ~(VF_LANES - 1);
    for (int key = first; key < end; key++) {
        t->key_scales[key] = t->value_scales[key] = 0.0f;
        if (key < seen.first || key >= seen.end) continue;
        memcpy(&t->key_scales[key], t->key_rows[key] + head_dim, sizeof(float));
        memcpy(&t->value_scales[key], t->key_rows[key] + t->to_value + head_dim, sizeof(float));
    }
}

// Ask for a row ahead of its use. Rows lie scattered in short runs that the processor does not foresee, and a layer's
// part of the pool was last read a whole forward ago. Into the second-level cache: more of those are under way at a time.
INLINE void prefetch_row(const char *row, int row_bytes) {
    for (int byte = 0; byte < row_bytes; byte += CACHE_LINE) __builtin_prefetch(row + byte, 0, 2);
}

// Keys of the next chunk, and their values.
static void prefetch_next(const tile *t, int first, int num_keys) {
    for (int key = first; key < first + num_keys; key++) {
        prefetch_row(t->next_key_rows[key], t->row_bytes);
        prefetch_row(t->next_key_rows[key] + t->to_value, t->row_bytes);
    }
}

// The rows that see some key of a block; empty if `end <= first`.
static key_range rows_that_see(const tile *t, int64_t block_start) {
    int64_t window = t->layer->plan->shape.window, num_rows = t->num_folded / t->group;
    int64_t first = block_start - t->first_position, end = window ? first + KEY_BLOCK + window - 1 : num_rows;
    if (first < 0) first = 0;
    if (end > num_rows) end = num_rows;
    if (end < 0) end = 0;
    key_range rows = {(int)(first < end ? first : end) * t->group, (int)end * t->group};
    return rows;
}

#endif
