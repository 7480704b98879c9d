"""Owns where each cell of the block grid lies, in device pixels so that cells stay sharp at any scale factor.

Knows neither blocks nor painting.
"""

from __future__ import annotations

from dataclasses import dataclass

CELL_SIZES = (14, 13, 12, 11, 10)
"""Edges of a cell in logical pixels, preferred first."""
SMALL_CELL_SIZES = (9, 8, 7, 6, 5, 4, 3)
"""Only where they let the whole pool be seen at once."""
GAP = 1
_COLUMNS_STEP = 8
"""Rows are a multiple of it long, so that they use the width and addresses still line up."""


@dataclass(frozen=True, slots=True)
class GridGeometry:
    """Cells in rows of `num_columns`; all lengths in device pixels."""

    num_blocks: int
    num_columns: int
    cell_px: int
    gap_px: int

    @property
    def pitch_px(self) -> int:
        return self.cell_px + self.gap_px

    @property
    def num_rows(self) -> int:
        return -(-self.num_blocks // self.num_columns)

    @property
    def height_px(self) -> int:
        return self.num_rows * self.pitch_px

    def position(self, block_id: int) -> tuple[int, int]:
        """Left and top of a block's cell."""
        row, column = divmod(block_id, self.num_columns)
        return column * self.pitch_px, row * self.pitch_px

    def block_at(self, x_px: int, y_px: int) -> int | None:
        """The block at a point; the gap right of and below a cell belongs to it."""
        column, row = x_px // self.pitch_px, y_px // self.pitch_px
        if not (0 <= column < self.num_columns and row >= 0):
            return None
        block_id = row * self.num_columns + column
        return block_id if block_id < self.num_blocks else None

    def blocks_between(self, top_px: int, bottom_px: int) -> range:
        """The blocks of all rows that a band from `top_px` to `bottom_px` touches."""
        first = max(0, top_px // self.pitch_px) * self.num_columns
        end = (bottom_px // self.pitch_px + 1) * self.num_columns
        return range(min(first, self.num_blocks), max(0, min(end, self.num_blocks)))


def choose_geometry(num_blocks: int, width: float, height: float, scale: float) -> GridGeometry:
    """The largest cells with which the whole pool fits a view of `width` × `height` logical pixels. If none do, the
    preferred size that has most columns, to scroll through. `scale` is device pixels per logical pixel.
    """
    height_px = height * scale
    preferred = [_geometry(num_blocks, size, width, scale) for size in CELL_SIZES]
    small = [_geometry(num_blocks, size, width, scale) for size in SMALL_CELL_SIZES]
    whole = next((geometry for geometry in preferred + small if geometry.height_px <= height_px), None)
    # max keeps the first of equals, which has the largest cells.
    return whole if whole is not None else max(preferred, key=lambda geometry: geometry.num_columns)


def whole_geometry(num_blocks: int, width: float, height: float, scale: float) -> GridGeometry:
    """The largest cells with which the whole pool keeps this height; if none do, the smallest, however high."""
    sizes = (*CELL_SIZES, *SMALL_CELL_SIZES)
    geometries = [_geometry(num_blocks, size, width, scale) for size in sizes]
    return next((one for one in geometries if one.height_px <= height * scale), geometries[-1])


def _geometry(num_blocks: int, size: int, width: float, scale: float) -> GridGeometry:
    cell_px, gap_px = round(size * scale), max(1, round(GAP * scale))
    num_fitting = max(1, round(width * scale) // (cell_px + gap_px))
    num_columns = num_fitting // _COLUMNS_STEP * _COLUMNS_STEP or 1 << (num_fitting.bit_length() - 1)
    return GridGeometry(num_blocks, num_columns, cell_px, gap_px)
