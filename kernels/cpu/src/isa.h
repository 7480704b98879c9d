// One source, several instruction sets: build.py compiles each file of kernels once per variant, with DI_VARIANT set to
// avx2, avxvnni, avx512vnni, avx512bf16 (x86-64) or neon, neondot (arm64), and DI_NAME(f) gives every function of it the
// variant's suffix. The functions that a variant offers to the portable files stand in one table (kernels.h), chosen once.
#ifndef DI_ISA_H
#define DI_ISA_H

#define DI_PASTE_(a, b) a##_##b
#define DI_PASTE(a, b) DI_PASTE_(a, b)
#define DI_NAME(name) DI_PASTE(name, DI_VARIANT)

#endif
