// A whole decoder with everything a layer can have, the choice of tokens, and the copying of blocks: whether they stay in
// their memory, and give the same bits by one thread and by three. See check.py.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "blocks.h"
#include "decoder.h"
#include "sampling.h"

enum { LAYERS = 3, HIDDEN = 64, HEADS = 4, KV_HEADS = 2, HEAD_DIM = 32, FEED_FORWARD = 96, VOCABULARY = 503 };
enum { BLOCK_SIZE = 8, BLOCKS = 24, POSITIONS = 160, QKV = (HEADS + 2 * KV_HEADS) * HEAD_DIM, ROWS = 150 };
enum { VECTORS = 12 };

static uint32_t state = 99;
static int num_failures;

static uint32_t next_random(void) {
    state = state * 1664525u + 1013904223u;
    return state >> 8;
}

static float *floats(int count, float around) {
    float *values = malloc((size_t)count * sizeof(float));
    for (int i = 0; i < count; i++) values[i] = around + (float)next_random() / (float)(1 << 23) - 1.0f;
    return values;
}

static void expect(int is_so, const char *what) {
    if (!is_so && num_failures++ < 10) printf("%s in %s\n", what, di_variant());
}

static di_weight random_weight(di_pool *pool, int rows, int columns) {
    int num_groups = rows * columns / 32;
    uint8_t *codes = malloc((size_t)(rows * columns));
    uint16_t *scale = malloc((size_t)num_groups * sizeof *scale);
    for (int i = 0; i < rows * columns; i++) codes[i] = (uint8_t)next_random();
    for (int i = 0; i < num_groups; i++) scale[i] = 0x1400; // 2**-10
    di_weight w = {0, rows, columns, 8, 32, 0};
    w.data = malloc(di_weight_bytes(&w));
    di_repack(pool, &w, codes, scale, NULL);
    free(codes), free(scale);
    return w;
}

typedef struct layer_memory {
    di_weight qkv, output, gate_up, down;
    float *vectors[VECTORS];
} layer_memory;

// The last layer has layer norms with biases everywhere, no gate and a parallel feed forward.
static di_layer random_layer(di_pool *pool, layer_memory *m, const float *rope, int number) {
    int is_last = number == LAYERS - 1;
    m->qkv = random_weight(pool, QKV, HIDDEN);
    m->output = random_weight(pool, HIDDEN, HEADS * HEAD_DIM);
    m->gate_up = random_weight(pool, is_last ? FEED_FORWARD : 2 * FEED_FORWARD, HIDDEN);
    m->down = random_weight(pool, HIDDEN, FEED_FORWARD);
    static const int SIZES[VECTORS] = {HIDDEN,   HIDDEN,   HIDDEN, HIDDEN, QKV,         HEAD_DIM,
                                       HEAD_DIM, HIDDEN, HIDDEN, HIDDEN, FEED_FORWARD, HIDDEN};
    for (int i = 0; i < VECTORS; i++) m->vectors[i] = floats(SIZES[i], 1.0f);
    float **v = m->vectors;
    di_layer layer = {.qkv = &m->qkv, .output = &m->output, .gate_up = &m->gate_up, .down = &m->down,
                      .attention_norm = v[0], .feed_forward_norm = v[1], .attention_post_norm = v[2],
                      .feed_forward_post_norm = v[3], .qkv_bias = v[4], .query_norm = v[5], .key_norm = v[6],
                      .rope_table = rope, .norm_eps = 1e-5f, .scale = 0.2f, .softcap = 4.0f,
                      .window = number % 2 ? 20 : 0, .activation = DI_GELU_TANH, .query_norm_dim = HEAD_DIM,
                      .key_norm_dim = HEAD_DIM, .is_gated = 1};
    if (!is_last) return layer;
    layer.attention_norm_bias = v[7], layer.feed_forward_norm_bias = v[8], layer.output_bias = v[9];
    layer.up_bias = v[10], layer.down_bias = v[11];
    layer.attention_post_norm = layer.feed_forward_post_norm = NULL;
    layer.activation = DI_GELU, layer.is_gated = 0, layer.is_parallel = 1;
    return layer;
}

static void free_layer(layer_memory *m) {
    free(m->qkv.data), free(m->output.data), free(m->gate_up.data), free(m->down.data);
    for (int i = 0; i < VECTORS; i++) free(m->vectors[i]);
}

// The first and the last row of a call's one sequence, wanted alone, have the bits that they had among all.
static void check_wanted(di_decoder *decoder, di_pool *pool, di_scratch *scratch, di_decoder_call call) {
    const float *whole = call.hidden;
    int64_t last = call.num_rows - 1, context = call.batch.context_lengths[0];
    int64_t wanted[2] = {0, last}, starts[3] = {0, 1, 2}, contexts[2] = {context - last, context};
    const int64_t *tables[2] = {call.batch.block_tables[0], call.batch.block_tables[0]};
    call.hidden = malloc((size_t)call.num_rows * HIDDEN * sizeof(float));
    call.wanted = wanted;
    for (int64_t count = 0; count <= (last > 0 ? 2 : 1); count++) {
        call.num_wanted = count;
        call.wanted_batch = (di_ragged_batch){count, starts, contexts, tables};
        expect(di_decoder_run(decoder, pool, scratch, &call) == DI_DECODER_OK, "a run for some rows");
        for (int64_t i = 0; i < count; i++)
            expect(memcmp(call.hidden + wanted[i] * HIDDEN, whole + wanted[i] * HIDDEN, HIDDEN * sizeof(float)) == 0,
                   "other bits of a row that is wanted");
    }
    free(call.hidden);
}

static float *run(int num_workers, int format, const di_decoder_shape *shape, const di_weight *table, const di_layer *layers) {
    di_pool *pool = di_pool_create(num_workers, 20);
    di_scratch *scratch = di_scratch_create(num_workers);
    di_decoder *decoder = di_decoder_create(shape, table, layers);
    size_t pool_bytes = LAYERS * BLOCKS * KV_HEADS * BLOCK_SIZE * (size_t)di_kv_row_bytes(format, HEAD_DIM);
    char *keys = malloc(pool_bytes), *values = malloc(pool_bytes);
    memset(keys, 0xff, pool_bytes);
    memset(values, 0xff, pool_bytes);
    int64_t *tokens = malloc(ROWS * sizeof(int64_t)), *positions = malloc(ROWS * sizeof(int64_t));
    int64_t *slots = malloc(ROWS * sizeof(int64_t)), block_table[POSITIONS / BLOCK_SIZE];
    for (int i = 0; i < POSITIONS / BLOCK_SIZE; i++) block_table[i] = BLOCKS - 1 - i;
    for (int i = 0; i < ROWS; i++) {
        tokens[i] = (i * 37) % VOCABULARY, positions[i] = i;
        slots[i] = block_table[i / BLOCK_SIZE] * BLOCK_SIZE + i % BLOCK_SIZE;
    }
    float *hidden = malloc(ROWS * HIDDEN * sizeof(float));
    const int64_t *tables = block_table;
    // a prompt, then single tokens
    for (int first = 0, count = ROWS - 3; first < ROWS; first += count, count = 1) {
        int64_t starts[2] = {0, count}, context = first + count;
        di_decoder_call call = {.num_rows = count, .token_ids = tokens + first, .positions = positions + first,
                                .slots = slots + first, .batch = {1, starts, &context, &tables}, .keys = keys,
                                .values = values, .num_blocks = BLOCKS, .block_size = BLOCK_SIZE, .format = format,
                                .hidden = hidden + first * HIDDEN};
        expect(di_decoder_run(decoder, pool, scratch, &call) == DI_DECODER_OK, "a run");
        check_wanted(decoder, pool, scratch, call);
        int64_t outside = BLOCKS * BLOCK_SIZE;
        call.slots = &outside;
        call.num_rows = 1;
        expect(di_decoder_run(decoder, pool, scratch, &call) == DI_DECODER_BAD_SLOT, "a slot outside");
    }
    for (int i = 0; i < ROWS * HIDDEN; i++) expect(isfinite(hidden[i]), "a number that is not finite");
    di_decoder_destroy(decoder), di_scratch_destroy(scratch), di_pool_destroy(pool);
    free(keys), free(values), free(tokens), free(positions), free(slots);
    return hidden;
}

static void check_decoder(di_pool *pool) {
    layer_memory memory[LAYERS];
    di_layer layers[LAYERS];
    float *rope = floats(POSITIONS * HEAD_DIM, 0.0f);
    for (int i = 0; i < LAYERS; i++) layers[i] = random_layer(pool, &memory[i], rope, i);
    di_weight table = random_weight(pool, VOCABULARY, HIDDEN);
    di_decoder_shape shape = {LAYERS, HIDDEN, HEADS, KV_HEADS, HEAD_DIM, FEED_FORWARD, POSITIONS, 2.0f};
    for (int format = DI_KV_FLOAT; format <= DI_KV_INT8; format++) {
        float *one = run(1, format, &shape, &table, layers), *three = run(3, format, &shape, &table, layers);
        expect(memcmp(one, three, ROWS * HIDDEN * sizeof(float)) == 0, "other bits by three threads");
        free(one), free(three);
    }
    for (int i = 0; i < LAYERS; i++) free_layer(&memory[i]);
    free(table.data), free(rope);
}

static void check_sampling(di_pool *pool) {
    enum { DRAWS = 40 };
    float *logits = floats(DRAWS * VOCABULARY, 0.0f), temperature[DRAWS], top_p[DRAWS], min_p[DRAWS];
    int64_t top_k[DRAWS], token_ids[DRAWS], best[DRAWS], top_ids[20];
    double uniform[DRAWS], logprobs[20];
    for (int i = 0; i < DRAWS; i++) {
        temperature[i] = (float)(i % 4) * 0.5f;
        top_k[i] = i % 3 ? 0 : 1 + i, top_p[i] = i % 5 ? 1.0f : 0.6f, min_p[i] = i % 7 ? 0.0f : 0.1f;
        uniform[i] = (double)(next_random() & 0xffff) / 65536;
    }
    logits[3] = NAN, logits[VOCABULARY + 5] = INFINITY, logits[2 * VOCABULARY] = -INFINITY;
    di_candidate *candidates = malloc(3 * VOCABULARY * sizeof *candidates);
    di_sampling sampling = {DRAWS, VOCABULARY, logits, temperature, top_k, top_p, min_p, uniform, candidates, token_ids};
    di_sample(pool, &sampling);
    di_argmax(pool, logits, DRAWS, VOCABULARY, best);
    for (int i = 0; i < DRAWS; i++) {
        expect(token_ids[i] >= DI_IN_DOUBT && token_ids[i] < VOCABULARY, "a token outside");
        if (temperature[i] == 0.0f || top_k[i] == 1) expect(token_ids[i] == best[i], "not the best token");
        double own = di_logprobs(logits + i * VOCABULARY, VOCABULARY, best[i], 20, top_ids, logprobs);
        expect(top_ids[0] == best[i] && own == logprobs[0], "log-probabilities");
    }
    free(logits), free(candidates);
}

static void check_blocks(di_pool *pool) {
    enum { BYTES = 48 };
    char *from = malloc(2 * 5 * BYTES), *to = malloc(2 * 3 * BYTES);
    for (int i = 0; i < 2 * 5 * BYTES; i++) from[i] = (char)(i / BYTES);
    int64_t source[] = {4, 1, 0}, target[] = {0, 1, 2};
    di_copy_blocks(pool, from, 5, to, 3, 2, BYTES, 3, source, target);
    for (int i = 0; i < 2 * 3 * BYTES; i++)
        expect(to[i] == (char)(i / BYTES / 3 * 5 + source[i / BYTES % 3]), "a copied block");
    free(from), free(to);
}

int main(void) {
    static const char *const NAMES[] = {"avx2", "avxvnni", "avx512vnni", "avx512bf16", "neon", "neondot"};
    di_pool *pool = di_pool_create(3, 20);
    int num_variants = 0;
    for (int i = 0; i < 6; i++) {
        if (!di_choose_variant(NAMES[i])) continue;
        num_variants++;
        check_decoder(pool);
        check_sampling(pool);
        check_blocks(pool);
    }
    di_pool_destroy(pool);
    printf("decoder: %d variants, %d failures\n", num_variants, num_failures);
    return num_variants == 0 || num_failures != 0;
}
