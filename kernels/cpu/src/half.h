// IEEE half floats in plain C, for files that are compiled once for every processor.
#ifndef DI_HALF_H
#define DI_HALF_H

#include <stdint.h>
#include <string.h>

static inline float di_half_to_float(uint16_t half) {
    uint32_t sign = (uint32_t)(half & 0x8000) << 16, magnitude = half & 0x7fff;
    float value;
    if (magnitude < 0x0400) { // zero and subnormals: a whole number of 2**-24
        value = (float)magnitude * 0x1p-24f;
    } else {
        // the exponent's bias goes from 15 to 127; infinity and NaN keep all its bits set
        uint32_t bits = (magnitude << 13) + ((magnitude >= 0x7c00 ? 255 - 31 : 127 - 15) << 23);
        memcpy(&value, &bits, sizeof value);
    }
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits |= sign;
    memcpy(&value, &bits, sizeof value);
    return value;
}

#endif
