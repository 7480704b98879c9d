// Which variant this processor runs: asked of it once, by cpuid or the system.
#include <string.h>

#include "isa.h"
#include "kernels.h"

#if defined(__x86_64__)

#include <cpuid.h>

extern const di_kernels di_table_avx2, di_table_avxvnni, di_table_avx512vnni, di_table_avx512bf16;

typedef struct cpuid_leaf {
    unsigned eax, ebx, ecx, edx;
} cpuid_leaf;

static cpuid_leaf leaf(unsigned number, unsigned subleaf) {
    cpuid_leaf l = {0, 0, 0, 0};
    if (__get_cpuid_max(0, 0) >= number) __cpuid_count(number, subleaf, l.eax, l.ebx, l.ecx, l.edx);
    return l;
}

static unsigned long long enabled_states(void) {
    unsigned low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (unsigned long long)high << 32 | low;
}

static int has_bits(unsigned word, unsigned bits) { return (word & bits) == bits; }

enum { YMM_STATES = 0x06, ZMM_STATES = 0xe6 }; // registers that the system saves, of XCR0

static int is_supported(const di_kernels *table) {
    cpuid_leaf one = leaf(1, 0), seven = leaf(7, 0), seven_one = leaf(7, 1);
    if (!has_bits(one.ecx, 1u << 27)) return 0; // OSXSAVE: xgetbv may be asked
    unsigned long long states = enabled_states();
    int has_avx2 = has_bits(one.ecx, 1u << 12 | 1u << 28 | 1u << 29) && // FMA, AVX, F16C
                   has_bits(seven.ebx, 1u << 5) && (states & YMM_STATES) == YMM_STATES;
    if (table == &di_table_avx2) return has_avx2;
    if (table == &di_table_avxvnni) return has_avx2 && has_bits(seven_one.eax, 1u << 4);
    // F, BW, VL and VNNI
    int has_avx512 = has_avx2 && (states & ZMM_STATES) == ZMM_STATES &&
                     has_bits(seven.ebx, 1u << 16 | 1u << 30 | 1u << 31) && has_bits(seven.ecx, 1u << 11);
    if (table == &di_table_avx512vnni) return has_avx512;
    return has_avx512 && has_bits(seven_one.eax, 1u << 5);
}

static const di_kernels *const TABLES[] = {&di_table_avx512bf16, &di_table_avx512vnni, &di_table_avxvnni, &di_table_avx2};

enum { ZEN_4_FAMILY = 0x19 }; // Zen 3 as well, which has no AVX-512

static int is_zen_4(void) {
    cpuid_leaf maker = leaf(0, 0), one = leaf(1, 0);
    return maker.ebx == signature_AMD_ebx && (one.eax >> 8 & 15) + (one.eax >> 20 & 255) == ZEN_4_FAMILY;
}

#elif defined(__aarch64__)

extern const di_kernels di_table_neon, di_table_neondot;

#if defined(__linux__)
#include <sys/auxv.h>
enum { HAS_DOT_PRODUCT = 1 << 20 }; // HWCAP_ASIMDDP
static int has_dot_product(void) { return (getauxval(AT_HWCAP) & HAS_DOT_PRODUCT) != 0; }
#elif defined(__APPLE__)
static int has_dot_product(void) { return 1; } // every Apple M processor
#else
static int has_dot_product(void) { return 0; }
#endif

static int is_supported(const di_kernels *table) { return table == &di_table_neon || has_dot_product(); }

static const di_kernels *const TABLES[] = {&di_table_neondot, &di_table_neon};

static int is_zen_4(void) { return 0; }

#endif

static const di_kernels *chosen;
static int has_whole_vectors;

const di_kernels *di_kernels_chosen(void) {
    for (unsigned i = 0; chosen == 0 && i < sizeof TABLES / sizeof *TABLES; i++)
        if (is_supported(TABLES[i])) {
            has_whole_vectors = !is_zen_4();
            chosen = TABLES[i];
        }
    return chosen;
}

int di_has_whole_vectors(void) { return has_whole_vectors; }

const char *di_variant(void) { return di_kernels_chosen() ? di_kernels_chosen()->variant : 0; }

int di_choose_variant(const char *name) {
    for (unsigned i = 0; i < sizeof TABLES / sizeof *TABLES; i++)
        if (strcmp(TABLES[i]->variant, name) == 0 && is_supported(TABLES[i])) {
            has_whole_vectors = 1;
            chosen = TABLES[i];
            return 1;
        }
    return 0;
}
