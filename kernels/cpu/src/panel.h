// Codes of some weight rows as many rows of x read them: see panel.c for the picture.
#ifndef DI_PANEL_H
#define DI_PANEL_H

#include <stddef.h>
#include <stdint.h>

#include "weight.h"

// A panel's columns are a multiple of every group size, and with their x they stay in a first-level cache of 48 KiB, or
// nearly in one of 32.
enum {
    DI_PANEL_COLUMNS = 768,
    DI_PANEL_BLOCKS = 4,
    DI_PANEL_ROWS = DI_PANEL_BLOCKS * DI_BLOCK_ROWS,
};

typedef struct di_panel {
    uint8_t codes[DI_PANEL_COLUMNS * DI_PANEL_ROWS];
    float scales[DI_PANEL_COLUMNS / DI_RUN * DI_PANEL_ROWS];
    float minima[DI_PANEL_COLUMNS / DI_RUN * DI_PANEL_ROWS];
} di_panel;

#endif
