// The integer dot products: codes of eight weight rows, four columns a step, times the codes of one row of x.
//
// An accumulator holds eight sums over one run of 32 columns; `dot_sums` gives them as floats, exactly. Narrow codes
// (3 and 4 bits) and wide ones (5 and 8 bits) differ where the instruction set multiplies bytes into saturating int16.
#ifndef DI_DOT_H
#define DI_DOT_H

#include "simd.h"
#include "weight.h"

#if defined(__x86_64__)
#include "dot_x86.h"
#elif defined(__aarch64__)
#include "dot_neon.h"
#endif

// The codes of step 0-7 of a run in weight.h's layout, one a byte. `bits` and `step` are constants where this is used.
static inline __attribute__((always_inline)) vb step_codes(const uint8_t *run, int bits, int step) {
    if (bits == 8) return vb_load(run + DI_VECTOR_BYTES * step);
    if (bits == 4) {
        vb both = vb_load(run + DI_VECTOR_BYTES * (step % 4));
        return step < 4 ? vb_and(both, 15) : vb_high_nibbles(both);
    }
    if (bits == 5) {
        vb high = vb_load(run + DI_VECTOR_BYTES * 4);
        switch (step) {
        case 0: high = vb_shift_left(high, 4); break;
        case 1: high = vb_shift_left(high, 3); break;
        case 2: high = vb_shift_left(high, 2); break;
        case 3: high = vb_shift_left(high, 1); break;
        case 5: high = vb_shift_right(high, 1); break;
        case 6: high = vb_shift_right(high, 2); break;
        case 7: high = vb_shift_right(high, 3); break;
        }
        return vb_or(step_codes(run, 4, step), vb_and(high, 16));
    }
    vb low = vb_load(run + DI_VECTOR_BYTES * (step / 4)), high = vb_load(run + DI_VECTOR_BYTES * 2);
    switch (step % 4) {
    case 1: low = vb_shift_right(low, 2); break;
    case 2: low = vb_shift_right(low, 4); break;
    case 3: low = vb_shift_right(low, 6); break;
    }
    switch (step) {
    case 0: high = vb_shift_left(high, 2); break;
    case 1: high = vb_shift_left(high, 1); break;
    case 3: high = vb_shift_right(high, 1); break;
    case 4: high = vb_shift_right(high, 2); break;
    case 5: high = vb_shift_right(high, 3); break;
    case 6: high = vb_shift_right(high, 4); break;
    case 7: high = vb_shift_right(high, 5); break;
    }
    return vb_or(vb_and(low, 3), vb_and(high, 4));
}

#endif
