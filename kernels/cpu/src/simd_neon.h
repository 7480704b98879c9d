// vf on arm64: two vectors of four.
#ifndef DI_SIMD_NEON_H
#define DI_SIMD_NEON_H

#include <arm_neon.h>

typedef struct vf {
    float32x4_t low, high;
} vf;

static inline vf vf_set(float a) { return (vf){vdupq_n_f32(a), vdupq_n_f32(a)}; }
static inline vf vf_zero(void) { return vf_set(0.0f); }
static inline vf vf_load(const float *p) { return (vf){vld1q_f32(p), vld1q_f32(p + 4)}; }
static inline void vf_store(float *p, vf a) {
    vst1q_f32(p, a.low);
    vst1q_f32(p + 4, a.high);
}
static inline vf vf_broadcast(const float *p) { return vf_set(*p); }
static inline vf vf_add(vf a, vf b) { return (vf){vaddq_f32(a.low, b.low), vaddq_f32(a.high, b.high)}; }
static inline vf vf_sub(vf a, vf b) { return (vf){vsubq_f32(a.low, b.low), vsubq_f32(a.high, b.high)}; }
static inline vf vf_mul(vf a, vf b) { return (vf){vmulq_f32(a.low, b.low), vmulq_f32(a.high, b.high)}; }
static inline vf vf_div(vf a, vf b) { return (vf){vdivq_f32(a.low, b.low), vdivq_f32(a.high, b.high)}; }
// a * b + c, rounded once
static inline vf vf_fma(vf a, vf b, vf c) {
    return (vf){vfmaq_f32(c.low, a.low, b.low), vfmaq_f32(c.high, a.high, b.high)};
}
// b where either is NaN
static inline vf vf_min(vf a, vf b) {
    return (vf){vbslq_f32(vcltq_f32(a.low, b.low), a.low, b.low), vbslq_f32(vcltq_f32(a.high, b.high), a.high, b.high)};
}
static inline vf vf_max(vf a, vf b) {
    return (vf){vbslq_f32(vcgtq_f32(a.low, b.low), a.low, b.low), vbslq_f32(vcgtq_f32(a.high, b.high), a.high, b.high)};
}
static inline vf vf_abs(vf a) { return (vf){vabsq_f32(a.low), vabsq_f32(a.high)}; }
static inline vf vf_round(vf a) { return (vf){vrndnq_f32(a.low), vrndnq_f32(a.high)}; }

static inline float32x4_t vf_pow2_half(float32x4_t a) {
    return vreinterpretq_f32_s32(vshlq_n_s32(vaddq_s32(vreinterpretq_s32_f32(a), vdupq_n_s32(127)), 23));
}
// 2**n of whole n in [-126, 127] in the lowest bits.
static inline vf vf_pow2_of_low_bits(vf a) { return (vf){vf_pow2_half(a.low), vf_pow2_half(a.high)}; }

// [a0+a2, b0+b2, a1+a3, b1+b3]
static inline float32x4_t vf_add_apart(float32x4_t a, float32x4_t b) {
    return vaddq_f32(vzip1q_f32(a, b), vzip2q_f32(a, b));
}
static inline float32x4_t vf_4_sums(float32x4_t a, float32x4_t b, float32x4_t c, float32x4_t d) {
    float32x4_t ab = vf_add_apart(a, b), cd = vf_add_apart(c, d);
    return vaddq_f32(
        vcombine_f32(vget_low_f32(ab), vget_low_f32(cd)), vcombine_f32(vget_high_f32(ab), vget_high_f32(cd)));
}
// p[i] = sum of the i-th vector's lanes, each in the order ((0+2)+(1+3)) + ((4+6)+(5+7)).
static inline void vf_store_4_sums(float *p, vf a, vf b, vf c, vf d) {
    vst1q_f32(p, vaddq_f32(vf_4_sums(a.low, b.low, c.low, d.low), vf_4_sums(a.high, b.high, c.high, d.high)));
}

static inline void vf_transpose_quarter(float32x4_t a, float32x4_t b, float32x4_t c, float32x4_t d, float32x4_t to[4]) {
    float32x4_t ac = vzip1q_f32(a, c), bd = vzip1q_f32(b, d), ac_high = vzip2q_f32(a, c), bd_high = vzip2q_f32(b, d);
    to[0] = vzip1q_f32(ac, bd);
    to[1] = vzip2q_f32(ac, bd);
    to[2] = vzip1q_f32(ac_high, bd_high);
    to[3] = vzip2q_f32(ac_high, bd_high);
}
// Lane i of vector j to lane j of vector i.
static inline void vf_transpose(vf a[8]) {
    float32x4_t quarters[2][2][4]; // [lanes' half][vectors' half]
    for (int half = 0; half < 2; half++) {
        const vf *from = a + 4 * half;
        vf_transpose_quarter(from[0].low, from[1].low, from[2].low, from[3].low, quarters[0][half]);
        vf_transpose_quarter(from[0].high, from[1].high, from[2].high, from[3].high, quarters[1][half]);
    }
    for (int i = 0; i < 8; i++) a[i] = (vf){quarters[i / 4][0][i % 4], quarters[i / 4][1][i % 4]};
}

// Eight IEEE half floats.
static inline vf vf_load_half(const uint16_t *p) {
    float16x8_t halves = vreinterpretq_f16_u16(vld1q_u16(p));
    return (vf){vcvt_f32_f16(vget_low_f16(halves)), vcvt_high_f32_f16(halves)};
}
// Eight signed bytes.
static inline vf vf_load_bytes(const int8_t *p) {
    int16x8_t codes = vmovl_s8(vld1_s8(p));
    return (vf){vcvtq_f32_s32(vmovl_s16(vget_low_s16(codes))), vcvtq_f32_s32(vmovl_high_s16(codes))};
}
static inline void vf_store_half(uint16_t *p, vf a) {
    vst1q_u16(p, vreinterpretq_u16_f16(vcvt_high_f16_f32(vcvt_f16_f32(a.low), a.high)));
}

// Lane i to lane i ^ distance, for a distance of 1, 2 or 4.
static inline vf vf_swap_1(vf a) { return (vf){vrev64q_f32(a.low), vrev64q_f32(a.high)}; }
static inline vf vf_swap_2(vf a) { return (vf){vextq_f32(a.low, a.low, 2), vextq_f32(a.high, a.high, 2)}; }
static inline vf vf_swap_4(vf a) { return (vf){a.high, a.low}; }

static inline float32x4_t vf_max_bits(float32x4_t a, float32x4_t b) {
    return vreinterpretq_f32_s32(vmaxq_s32(vreinterpretq_s32_f32(a), vreinterpretq_s32_f32(b)));
}
// Of magnitudes (no sign bit): the larger, or NaN where either is NaN. As integers their bits have the same order.
static inline vf vf_max_magnitude(vf a, vf b) {
    return (vf){vf_max_bits(a.low, b.low), vf_max_bits(a.high, b.high)};
}

static inline int8x8_t vf_to_bytes(vf a) {
    return vqmovn_s16(vcombine_s16(vqmovn_s32(vcvtnq_s32_f32(a.low)), vqmovn_s32(vcvtnq_s32_f32(a.high))));
}
// Whole numbers in [-128, 127] to 32 bytes, in order.
static inline void vf_store_bytes(int8_t *p, vf a, vf b, vf c, vf d) {
    vst1q_s8(p, vcombine_s8(vf_to_bytes(a), vf_to_bytes(b)));
    vst1q_s8(p + 16, vcombine_s8(vf_to_bytes(c), vf_to_bytes(d)));
}

#endif
