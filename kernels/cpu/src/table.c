// The table of one variant, see kernels.h; compiled once per variant.
#include "isa.h"
#include "kernels.h"

#define DI_STRING_(name) #name
#define DI_STRING(name) DI_STRING_(name)

di_tile_function DI_NAME(di_tile_3_0), DI_NAME(di_tile_3_1), DI_NAME(di_tile_4_0), DI_NAME(di_tile_4_1),
    DI_NAME(di_tile_5_0), DI_NAME(di_tile_5_1), DI_NAME(di_tile_8_0), DI_NAME(di_tile_8_1);
extern di_panel_function *const DI_NAME(di_panels)[DI_NUM_BITS][2];
void DI_NAME(di_quantise_rows)(
    const float *, int, int, const float *, const float *, float, float, struct di_run_codes *);
void DI_NAME(di_finish_linear)(const float *, int, const float *, const float *, float *);
void DI_NAME(di_activate)(float *, int, int);
void DI_NAME(di_finish_gate_up)(const float *, const float *, int, int, float *);
void DI_NAME(di_add_normed_row)(const float *, const float *, float, int, float *);
void DI_NAME(di_rope_append)(const void *, int, int);
void DI_NAME(di_latent_append)(const void *, int, int);
void DI_NAME(di_attend)(const void *, int, int);
void DI_NAME(di_dense)(const void *, int, int);
void DI_NAME(di_sample_row)(const void *, int, int);
void DI_NAME(di_argmax_row)(const void *, int, int);
double DI_NAME(di_row_logprobs)(const float *, int64_t, int64_t, int64_t, int64_t *, double *);

const di_kernels DI_NAME(di_table) = {
    .variant = DI_STRING(DI_VARIANT),
    .tiles = {
        {DI_NAME(di_tile_3_0), DI_NAME(di_tile_3_1)},
        {DI_NAME(di_tile_4_0), DI_NAME(di_tile_4_1)},
        {DI_NAME(di_tile_5_0), DI_NAME(di_tile_5_1)},
        {DI_NAME(di_tile_8_0), DI_NAME(di_tile_8_1)},
    },
    .panels = DI_NAME(di_panels),
    .quantise_rows = DI_NAME(di_quantise_rows),
    .finish_linear = DI_NAME(di_finish_linear),
    .activate = DI_NAME(di_activate),
    .finish_gate_up = DI_NAME(di_finish_gate_up),
    .add_normed_row = DI_NAME(di_add_normed_row),
    .rope_append = DI_NAME(di_rope_append),
    .latent_append = DI_NAME(di_latent_append),
    .attend = DI_NAME(di_attend),
    .dense = DI_NAME(di_dense),
    .sample_row = DI_NAME(di_sample_row),
    .argmax_row = DI_NAME(di_argmax_row),
    .row_logprobs = DI_NAME(di_row_logprobs),
};
