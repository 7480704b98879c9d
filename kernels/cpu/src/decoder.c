// The stages of all layers strung together, so that between two layers no thread has to be woken.
//
//   hidden -> norm, qkv -> rope, append -> attention -> output, + hidden -> norm, gate up -> down, + hidden -> ..
#include "decoder.h"

#include <stdlib.h>
#include <string.h>

#include "align.h"
#include "rope_append.h"

enum { LINEARS = 4, STAGES_PER_LAYER = LINEARS * DI_LINEAR_MAX_STAGES + 2 };
enum { QKV, OUTPUT, GATE_UP, DOWN };

typedef struct layer_calls {
    di_layer layer;
    int plan; // which of the decoder's plans has this layer's window
    di_linear linears[LINEARS];
    di_rope_append rope;
    di_attention attention;
} layer_calls;

// The rows that the last layer goes on with, moved to the front.
typedef struct wanted_rows {
    const di_decoder_call *call;
    float *q, *hidden;
    int64_t query_size, hidden_size;
} wanted_rows;

struct di_decoder {
    di_decoder_shape shape;
    di_embedding embedding;
    layer_calls *layers;
    di_stage *stages;
    di_attention_plan *plans; // one for each window among the layers
    int32_t *windows;
    int num_plans;
    di_attention_plan wanted_plan; // of the last layer
    wanted_rows wanted;
    float *rows; // activations of all rows between two stages, aligned
    void *rows_memory;
    int64_t max_rows;
};

static int qkv_size(const di_decoder_shape *shape) {
    return (shape->num_heads + 2 * shape->num_kv_heads) * shape->head_dim;
}
static int query_size(const di_decoder_shape *shape) { return shape->num_heads * shape->head_dim; }

static int plan_of_window(di_decoder *d, int32_t window) {
    for (int i = 0; i < d->num_plans; i++)
        if (d->windows[i] == window) return i;
    d->windows[d->num_plans] = window;
    return d->num_plans++;
}

static void describe_layer(di_decoder *d, layer_calls *calls, const di_layer *layer) {
    calls->layer = *layer;
    calls->plan = plan_of_window(d, layer->window);
    float eps = layer->norm_eps;
    calls->linears[QKV] = (di_linear){.weight = layer->qkv,
                                      .norm = layer->attention_norm,
                                      .norm_bias = layer->attention_norm_bias,
                                      .norm_eps = eps,
                                      .bias = layer->qkv_bias};
    calls->linears[OUTPUT] = (di_linear){.weight = layer->output,
                                         .bias = layer->output_bias,
                                         .post_norm = layer->attention_post_norm,
                                         .post_norm_eps = eps};
    calls->linears[GATE_UP] = (di_linear){.weight = layer->gate_up,
                                          .norm = layer->feed_forward_norm,
                                          .norm_bias = layer->feed_forward_norm_bias,
                                          .norm_eps = eps,
                                          .bias = layer->up_bias,
                                          .activation = layer->activation,
                                          .is_gated = layer->is_gated};
    calls->linears[DOWN] = (di_linear){.weight = layer->down,
                                       .bias = layer->down_bias,
                                       .post_norm = layer->feed_forward_post_norm,
                                       .post_norm_eps = eps};
    calls->rope = (di_rope_append){.num_heads = d->shape.num_heads,
                                   .num_kv_heads = d->shape.num_kv_heads,
                                   .head_dim = d->shape.head_dim,
                                   .query_norm_dim = layer->query_norm_dim,
                                   .key_norm_dim = layer->key_norm_dim,
                                   .query_eps = eps,
                                   .key_eps = eps,
                                   .rope_table = layer->rope_table,
                                   .query_norm = layer->query_norm,
                                   .key_norm = layer->key_norm};
    calls->attention = (di_attention){.scale = layer->scale, .softcap = layer->softcap};
}

di_decoder *di_decoder_create(const di_decoder_shape *shape, const di_weight *table, const di_layer *layers) {
    di_decoder *d = calloc(1, sizeof *d);
    if (!d) return NULL;
    size_t num_layers = (size_t)shape->num_layers;
    d->shape = *shape;
    d->embedding = (di_embedding){.table = table, .scale = shape->embedding_scale};
    d->layers = calloc(num_layers, sizeof *d->layers);
    d->stages = calloc(2 + num_layers * STAGES_PER_LAYER, sizeof *d->stages);
    d->plans = calloc(num_layers, sizeof *d->plans);
    d->windows = calloc(num_layers, sizeof *d->windows);
    if (!d->layers || !d->stages || !d->plans || !d->windows) {
        di_decoder_destroy(d);
        return NULL;
    }
    for (size_t i = 0; i < num_layers; i++) describe_layer(d, &d->layers[i], &layers[i]);
    return d;
}

void di_decoder_destroy(di_decoder *d) {
    for (int i = 0; i < d->num_plans; i++) di_attention_plan_free(&d->plans[i]);
    di_attention_plan_free(&d->wanted_plan);
    free(d->layers);
    free(d->stages);
    free(d->plans);
    free(d->windows);
    free(d->rows_memory);
    free(d);
}

static int are_within(const int64_t *numbers, int64_t count, int64_t end) {
    for (int64_t i = 0; i < count; i++)
        if (numbers[i] < 0 || numbers[i] >= end) return 0;
    return 1;
}

static di_decoder_error check_call(const di_decoder *d, const di_decoder_call *call) {
    if (!are_within(call->token_ids, call->num_rows, d->embedding.table->num_rows)) return DI_DECODER_BAD_TOKEN;
    if (!are_within(call->positions, call->num_rows, d->shape.max_positions)) return DI_DECODER_BAD_POSITION;
    if (!are_within(call->slots, call->num_rows, call->num_blocks * call->block_size)) return DI_DECODER_BAD_SLOT;
    for (int64_t s = 0; s < call->batch.num_sequences; s++) {
        int64_t num_blocks = (call->batch.context_lengths[s] + call->block_size - 1) / call->block_size;
        if (!are_within(call->batch.block_tables[s], num_blocks, call->num_blocks)) return DI_DECODER_BAD_BLOCK;
    }
    return DI_DECODER_OK;
}

// Activations of one row: qkv, q, attended, gated, and a second hidden row for layers with post norms, and parallel ones.
static int64_t row_floats(const di_decoder_shape *shape) {
    return qkv_size(shape) + 2 * query_size(shape) + shape->feed_forward_size + shape->hidden_size;
}

static int reserve_rows(di_decoder *d, int64_t num_rows) {
    if (num_rows <= d->max_rows) return 1;
    free(d->rows_memory);
    d->rows_memory = malloc((size_t)(num_rows * row_floats(&d->shape)) * sizeof(float) + DI_ALIGNMENT);
    d->max_rows = d->rows_memory ? num_rows : 0;
    if (!d->rows_memory) return 0;
    d->rows = di_aligned(d->rows_memory);
    return 1;
}

static int plan_attention(di_decoder *d, const di_decoder_call *call, int num_workers) {
    for (int i = 0; i < d->num_plans; i++) {
        di_attention_shape shape = {d->shape.num_heads, d->shape.num_kv_heads, d->shape.head_dim,
                                    call->block_size,   call->format,         d->windows[i]};
        if (!di_attention_plan_batch(&d->plans[i], &shape, &call->batch, num_workers)) return 0;
        int is_last = i == d->layers[d->shape.num_layers - 1].plan;
        if (is_last && call->wanted &&
            !di_attention_plan_batch(&d->wanted_plan, &shape, &call->wanted_batch, num_workers))
            return 0;
    }
    return 1;
}

static void move_row(float *rows, int64_t from, int64_t to, int64_t size) {
    memmove(rows + to * size, rows + from * size, (size_t)size * sizeof(float));
}

// In one item: no row is moved onto one that is still to be moved, as they ascend.
static void move_to_front(const void *context, int item, int worker) {
    const wanted_rows *wanted = context;
    (void)item, (void)worker;
    for (int64_t i = 0; i < wanted->call->num_wanted; i++) {
        move_row(wanted->q, wanted->call->wanted[i], i, wanted->query_size);
        move_row(wanted->hidden, wanted->call->wanted[i], i, wanted->hidden_size);
    }
}

typedef struct stage_list {
    di_stage *stages;
    int count;
    int num_workers;
    di_scratch *scratch;
    int is_short; // of memory
} stage_list;

static void add_linear(stage_list *list, di_linear *linear, int64_t num_rows, const float *x, const float *residual,
                       float *y) {
    linear->num_rows = (int32_t)num_rows;
    linear->x = x;
    linear->residual = residual;
    linear->y = y;
    int added = di_linear_plan(linear, list->num_workers, list->scratch, list->stages + list->count);
    if (added < 0) list->is_short = 1;
    else list->count += added;
}

// hidden += linear(x); with a post norm into the other buffer, which takes its place.
static void add_linear_add(stage_list *list, di_linear *linear, int64_t num_rows, const float *x, float **hidden,
                           float **other) {
    float *residual = *hidden;
    if (linear->post_norm) {
        *hidden = *other;
        *other = residual;
    }
    add_linear(list, linear, num_rows, x, residual, *hidden);
}

// From here on wanted rows alone: how many.
static int64_t add_cut(stage_list *list, di_decoder *d, const di_decoder_call *call, float *q, float *hidden) {
    d->wanted = (wanted_rows){call, q, hidden, query_size(&d->shape), d->shape.hidden_size};
    list->stages[list->count++] = (di_stage){move_to_front, &d->wanted, 1};
    return call->num_wanted;
}

static void add_layer(stage_list *list, di_decoder *d, int index, const di_decoder_call *call, float **hidden,
                      float **other) {
    layer_calls *layer = &d->layers[index];
    int64_t m = call->num_rows, row_bytes = di_kv_row_bytes(call->format, d->shape.head_dim);
    int64_t layer_bytes = call->num_blocks * d->shape.num_kv_heads * call->block_size * row_bytes;
    float *qkv = d->rows, *q = qkv + m * qkv_size(&d->shape), *attended = q + m * query_size(&d->shape);
    float *gated = attended + m * query_size(&d->shape);

    add_linear(list, &layer->linears[QKV], m, *hidden, NULL, qkv);
    di_rope_append *rope = &layer->rope;
    rope->num_rows = m;
    rope->block_size = call->block_size;
    rope->format = call->format;
    rope->qkv = qkv;
    rope->positions = call->positions;
    rope->slots = call->slots;
    rope->q = q;
    rope->keys = call->keys + index * layer_bytes;
    rope->values = call->values + index * layer_bytes;
    list->stages[list->count++] = (di_stage){di_kernels_chosen()->rope_append, rope, di_rope_append_items(m)};

    int is_cut = call->wanted && index == d->shape.num_layers - 1;
    if (is_cut) m = add_cut(list, d, call, q, *hidden);
    if (m == 0) return;
    di_attention *attention = &layer->attention;
    attention->plan = is_cut ? &d->wanted_plan : &d->plans[layer->plan];
    attention->q = q;
    attention->keys = rope->keys;
    attention->values = rope->values;
    attention->out = attended;
    list->stages[list->count++] = (di_stage){di_kernels_chosen()->attend, attention, attention->plan->num_items};

    if (layer->layer.is_parallel) {
        // The sum goes into the other buffer, as the feed forward still needs what attention saw.
        float *seen = *hidden;
        *hidden = *other;
        *other = seen;
        add_linear(list, &layer->linears[OUTPUT], m, attended, seen, *hidden);
        add_linear(list, &layer->linears[GATE_UP], m, seen, NULL, gated);
    } else {
        add_linear_add(list, &layer->linears[OUTPUT], m, attended, hidden, other);
        add_linear(list, &layer->linears[GATE_UP], m, *hidden, NULL, gated);
    }
    add_linear_add(list, &layer->linears[DOWN], m, gated, hidden, other);
}

// The last layer's rows to the caller's, and each to its place if they are wanted ones: the last first, as none of them
// was before its place.
static void write_results(const di_decoder_call *call, const float *hidden, int64_t size) {
    int64_t num_results = call->wanted ? call->num_wanted : call->num_rows;
    if (hidden != call->hidden)
        memcpy(call->hidden, hidden, (size_t)num_results * (size_t)size * sizeof(float));
    for (int64_t i = call->wanted ? num_results : 0; i-- > 0;) move_row(call->hidden, i, call->wanted[i], size);
}

di_decoder_error di_decoder_run(di_decoder *d, di_pool *pool, di_scratch *scratch, const di_decoder_call *call) {
    di_decoder_error error = check_call(d, call);
    if (error != DI_DECODER_OK) return error;
    stage_list list = {d->stages, 0, di_pool_num_workers(pool), scratch, 0};
    if (!reserve_rows(d, call->num_rows) || !plan_attention(d, call, list.num_workers)) return DI_DECODER_NO_MEMORY;
    d->embedding.token_ids = call->token_ids;
    d->embedding.num_tokens = (int32_t)call->num_rows;
    d->embedding.y = call->hidden;
    d->stages[list.count++] = di_embed_stage(&d->embedding);
    float *hidden = call->hidden;
    float *other = d->rows + call->num_rows * (row_floats(&d->shape) - d->shape.hidden_size);
    for (int i = 0; i < d->shape.num_layers; i++) add_layer(&list, d, i, call, &hidden, &other);
    if (list.is_short) return DI_DECODER_NO_MEMORY;
    di_pool_run(pool, list.stages, list.count);
    write_results(call, hidden, d->shape.hidden_size);
    return DI_DECODER_OK;
}
