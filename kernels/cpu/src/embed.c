// Rows of a packed table, gathered and written out in float32.
#include "half.h"
#include "weight.h"

// The code of a row in a run, see weight.h.
static int code_at(const uint8_t *run, int bits, int row, int column) {
    int step = column / 4;
    const uint8_t *byte = run + 4 * row + column % 4;
    if (bits == 8) return byte[DI_VECTOR_BYTES * step];
    if (bits >= 4) {
        int nibble = byte[DI_VECTOR_BYTES * (step % 4)] >> 4 * (step / 4) & 15;
        return bits == 4 ? nibble : nibble | (byte[DI_VECTOR_BYTES * 4] >> step & 1) << 4;
    }
    int low = byte[DI_VECTOR_BYTES * (step / 4)] >> 2 * (step % 4) & 3;
    return low | (byte[DI_VECTOR_BYTES * 2] >> step & 1) << 2;
}

static void embed_row(const void *context, int item, int worker) {
    (void)worker;
    const di_embedding *call = context;
    const di_weight *w = call->table;
    int token = (int)call->token_ids[item];
    int block = token / DI_BLOCK_ROWS, row = token % DI_BLOCK_ROWS;
    float *y = call->y + (size_t)item * (size_t)w->num_columns;
    for (int group = 0; group < w->num_columns / w->group_size; group++) {
        const uint16_t *scales = (const uint16_t *)di_group_at(w, block, group);
        const uint8_t *runs = (const uint8_t *)(scales + (w->has_minimum ? 2 : 1) * DI_BLOCK_ROWS);
        float step = di_half_to_float(scales[row]);
        float minimum = w->has_minimum ? di_half_to_float(scales[DI_BLOCK_ROWS + row]) : 0.0f;
        int centre = w->has_minimum ? 0 : 1 << (w->bits - 1);
        for (int column = 0; column < w->group_size; column++) {
            const uint8_t *run = runs + (size_t)DI_RUN * w->bits * (size_t)(column / DI_RUN);
            int code = code_at(run, w->bits, row, column % DI_RUN) - centre;
            // code * step is exact in float32, so the sum is rounded once, fused or not
            *y++ = ((float)code * step + minimum) * call->scale;
        }
    }
}

di_stage di_embed_stage(const di_embedding *embedding) {
    return (di_stage){embed_row, embedding, embedding->num_tokens};
}

void di_embed(di_pool *pool, const di_embedding *embedding) {
    di_stage stage = di_embed_stage(embedding);
    di_pool_run(pool, &stage, 1);
}
