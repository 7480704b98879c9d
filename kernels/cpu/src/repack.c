// From the plain layout to blocks of eight rows; see weight.h for the picture.
#include <string.h>

#include "weight.h"

typedef struct repack_call {
    const di_weight *weight;
    const uint8_t *codes;
    const uint16_t *scale;
    const uint16_t *minimum;
} repack_call;

size_t di_weight_bytes(const di_weight *weight) { return di_block_bytes(weight) * (size_t)di_num_blocks(weight); }

// The codes of 32 columns of one row, one a byte.
static void unpack_run(const uint8_t *plain, int bits, uint8_t codes[DI_RUN]) {
    if (bits == 8) {
        memcpy(codes, plain, DI_RUN);
    } else if (bits == 4) {
        for (int i = 0; i < DI_RUN / 2; i++) {
            codes[2 * i] = plain[i] & 15;
            codes[2 * i + 1] = plain[i] >> 4;
        }
    } else {
        for (int i = 0; i < DI_RUN / 8; i++, plain += bits) {
            uint64_t number = 0;
            for (int byte = 0; byte < bits; byte++) number |= (uint64_t)plain[byte] << 8 * byte;
            for (int j = 0; j < 8; j++) codes[8 * i + j] = (uint8_t)(number >> bits * j & ((1u << bits) - 1));
        }
    }
}

// Write one row's 32 codes into its bytes of a run's vectors; the row's bytes are zero before.
static void pack_run(const uint8_t codes[DI_RUN], int bits, int row, uint8_t *run) {
    for (int step = 0; step < 8; step++) {
        for (int b = 0; b < 4; b++) {
            uint8_t code = codes[4 * step + b];
            uint8_t *byte = run + 4 * row + b;
            if (bits == 8) {
                byte[DI_VECTOR_BYTES * step] = code;
            } else if (bits >= 4) {
                byte[DI_VECTOR_BYTES * (step % 4)] |= (uint8_t)((code & 15) << 4 * (step / 4));
                if (bits == 5) byte[DI_VECTOR_BYTES * 4] |= (uint8_t)(code >> 4 << step);
            } else {
                byte[DI_VECTOR_BYTES * (step / 4)] |= (uint8_t)((code & 3) << 2 * (step % 4));
                byte[DI_VECTOR_BYTES * 2] |= (uint8_t)(code >> 2 << step);
            }
        }
    }
}

static void repack_block(const void *context, int block, int worker) {
    (void)worker;
    const repack_call *call = context;
    const di_weight *w = call->weight;
    int num_groups = w->num_columns / w->group_size;
    size_t run_bytes = (size_t)DI_RUN * w->bits, plain_run_bytes = (size_t)DI_RUN * w->bits / 8;
    memset(di_group_at(w, block, 0), 0, di_block_bytes(w));
    int first = block * DI_BLOCK_ROWS;
    int num_rows = w->num_rows - first < DI_BLOCK_ROWS ? w->num_rows - first : DI_BLOCK_ROWS;
    for (int group = 0; group < num_groups; group++) {
        uint16_t *scales = (uint16_t *)di_group_at(w, block, group);
        uint8_t *runs = (uint8_t *)(scales + (w->has_minimum ? 2 : 1) * DI_BLOCK_ROWS);
        for (int row = 0; row < num_rows; row++) {
            size_t at = (size_t)(first + row) * (size_t)num_groups + (size_t)group;
            scales[row] = call->scale[at];
            if (w->has_minimum) scales[DI_BLOCK_ROWS + row] = call->minimum[at];
            for (int run = 0; run < w->group_size / DI_RUN; run++) {
                uint8_t codes[DI_RUN];
                size_t plain_run = at * (size_t)(w->group_size / DI_RUN) + (size_t)run;
                unpack_run(call->codes + plain_run * plain_run_bytes, w->bits, codes);
                pack_run(codes, w->bits, row, runs + run_bytes * (size_t)run);
            }
        }
    }
}

void di_repack(
    di_pool *pool, const di_weight *weight, const uint8_t *codes, const uint16_t *scale, const uint16_t *minimum) {
    repack_call call = {weight, codes, scale, minimum};
    di_stage stage = {repack_block, &call, di_num_blocks(weight)};
    di_pool_run(pool, &stage, 1);
}
