// Codes of sixteen weight rows as many rows of x read them: see panel.c for the picture.
#ifndef DI_PANEL_H
#define DI_PANEL_H

#include <stddef.h>
#include <stdint.h>

#include "weight.h"

// A multiple of every group size; with their x, these columns of two blocks stay in a first-level cache of 32 KiB.
enum { DI_PANEL_COLUMNS = 1024, DI_PANEL_ROWS = 2 * DI_BLOCK_ROWS };

typedef struct di_panel {
    uint8_t codes[DI_PANEL_COLUMNS * DI_PANEL_ROWS];
    float scales[DI_PANEL_COLUMNS / DI_RUN * DI_PANEL_ROWS];
    float minima[DI_PANEL_COLUMNS / DI_RUN * DI_PANEL_ROWS];
} di_panel;

#endif
