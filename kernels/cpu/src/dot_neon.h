// Byte vectors and dot products on arm64, with or without the dot product instruction. Codes are below 128 wherever
// they are multiplied, so that they are the same as signed bytes.
#ifndef DI_DOT_NEON_H
#define DI_DOT_NEON_H

typedef struct vb {
    uint8x16_t low, high;
} vb;

static inline vb vb_load(const uint8_t *p) { return (vb){vld1q_u8(p), vld1q_u8(p + 16)}; }
static inline vb vb_and(vb a, int mask) {
    uint8x16_t masks = vdupq_n_u8((uint8_t)mask);
    return (vb){vandq_u8(a.low, masks), vandq_u8(a.high, masks)};
}
static inline vb vb_or(vb a, vb b) { return (vb){vorrq_u8(a.low, b.low), vorrq_u8(a.high, b.high)}; }
#define vb_shift_right(a, count) ((vb){vshrq_n_u8((a).low, count), vshrq_n_u8((a).high, count)})
#define vb_shift_left(a, count) ((vb){vshlq_n_u8((a).low, count), vshlq_n_u8((a).high, count)})
static inline vb vb_high_nibbles(vb a) { return vb_shift_right(a, 4); }

// Four codes of x, for each of the eight rows.
static inline vb vb_broadcast4(const int8_t *codes) {
    uint32_t four;
    memcpy(&four, codes, sizeof four);
    uint8x16_t all = vreinterpretq_u8_u32(vdupq_n_u32(four));
    return (vb){all, all};
}

#if defined(__ARM_FEATURE_DOTPROD)

typedef struct dot_narrow {
    int32x4_t low, high;
} dot_narrow;

static inline dot_narrow dot_narrow_zero(void) { return (dot_narrow){vdupq_n_s32(0), vdupq_n_s32(0)}; }
static inline dot_narrow dot_narrow_add(dot_narrow sums, vb w, vb x) {
    sums.low = vdotq_s32(sums.low, vreinterpretq_s8_u8(w.low), vreinterpretq_s8_u8(x.low));
    sums.high = vdotq_s32(sums.high, vreinterpretq_s8_u8(w.high), vreinterpretq_s8_u8(x.high));
    return sums;
}
static inline dot_narrow dot_narrow_whole(dot_narrow sums) { return sums; }

#else

// Sixteen int16 sums of two products a step: after eight steps at most 16 * 15 * 127 = 30480.
typedef struct dot_narrow {
    int16x8_t low, high;
} dot_narrow;

static inline dot_narrow dot_narrow_zero(void) { return (dot_narrow){vdupq_n_s16(0), vdupq_n_s16(0)}; }
static inline int16x8_t products_of_two(uint8x16_t w, uint8x16_t x) {
    int8x16_t a = vreinterpretq_s8_u8(w), b = vreinterpretq_s8_u8(x);
    return vpaddq_s16(vmull_s8(vget_low_s8(a), vget_low_s8(b)), vmull_high_s8(a, b));
}
static inline dot_narrow dot_narrow_add(dot_narrow sums, vb w, vb x) {
    sums.low = vaddq_s16(sums.low, products_of_two(w.low, x.low));
    sums.high = vaddq_s16(sums.high, products_of_two(w.high, x.high));
    return sums;
}

typedef struct dot_whole {
    int32x4_t low, high;
} dot_whole;
static inline dot_whole dot_narrow_whole(dot_narrow sums) {
    return (dot_whole){vpaddlq_s16(sums.low), vpaddlq_s16(sums.high)};
}

#endif

static inline vf dot_narrow_sums(dot_narrow sums) {
    return (vf){vcvtq_f32_s32(dot_narrow_whole(sums).low), vcvtq_f32_s32(dot_narrow_whole(sums).high)};
}

// The two nibbles of a wider code are summed apart.
typedef struct dot_wide {
    dot_narrow low, high;
} dot_wide;

static inline dot_wide dot_wide_zero(void) { return (dot_wide){dot_narrow_zero(), dot_narrow_zero()}; }
static inline dot_wide dot_wide_add(dot_wide sums, vb w, vb x) {
    sums.low = dot_narrow_add(sums.low, vb_and(w, 15), x);
    sums.high = dot_narrow_add(sums.high, vb_high_nibbles(w), x);
    return sums;
}
static inline vf dot_wide_sums(dot_wide sums) {
    int32x4_t low = vmlaq_n_s32(dot_narrow_whole(sums.low).low, dot_narrow_whole(sums.high).low, 16);
    int32x4_t high = vmlaq_n_s32(dot_narrow_whole(sums.low).high, dot_narrow_whole(sums.high).high, 16);
    return (vf){vcvtq_f32_s32(low), vcvtq_f32_s32(high)};
}

#endif
