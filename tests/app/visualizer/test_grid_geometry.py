"""Where cells lie."""

from hypothesis import given
from hypothesis import strategies as st

from app.visualizer.grid_geometry import CELL_SIZES, choose_geometry

SCALES = st.sampled_from([1.0, 1.25, 1.5, 2.0])


@given(st.integers(1, 50_000), st.integers(60, 1200), st.integers(40, 1200), SCALES)
def test_rows_are_of_eights_that_fit_the_width(num_blocks: int, width: int, height: int, scale: float):
    geometry = choose_geometry(num_blocks, width, height, scale)
    assert geometry.num_columns % 8 == 0 or geometry.num_columns in (1, 2, 4)
    assert geometry.num_columns * geometry.pitch_px <= round(width * scale)
    assert geometry.num_columns * geometry.num_rows >= num_blocks


@given(st.integers(1, 50_000), st.integers(60, 1200), SCALES, st.data())
def test_point_in_a_cell_finds_its_block(num_blocks: int, width: int, scale: float, data: st.DataObject):
    geometry = choose_geometry(num_blocks, width, 400, scale)
    block = data.draw(st.integers(0, num_blocks - 1))
    x, y = geometry.position(block)
    assert geometry.block_at(x, y) == geometry.block_at(x + geometry.cell_px - 1, y + geometry.cell_px - 1) == block
    assert block in geometry.blocks_between(y, y)


def test_no_block_is_beyond_the_grid():
    geometry = choose_geometry(20, 200, 200, 1.0)
    last_x, last_y = geometry.position(19)
    assert geometry.block_at(last_x + geometry.pitch_px, last_y) is None
    assert geometry.block_at(geometry.num_columns * geometry.pitch_px, 0) is None
    assert geometry.block_at(-1, 0) is None


def test_less_than_eight_columns_of_the_width_stay_free():
    geometry = choose_geometry(4096, 342, 400, 1.0)
    assert 342 - geometry.num_columns * geometry.pitch_px < 8 * geometry.pitch_px


def test_small_pool_has_the_largest_cells():
    assert choose_geometry(64, 300, 300, 1.0).cell_px == max(CELL_SIZES)


def test_cells_shrink_where_the_whole_pool_then_fits():
    geometry = choose_geometry(1024, 300, 330, 1.0)
    assert geometry.cell_px < min(CELL_SIZES)
    assert geometry.height_px <= 330


def test_pool_that_never_fits_scrolls_with_cells_of_preferred_size():
    geometry = choose_geometry(40_000, 376, 330, 1.0)
    assert geometry.cell_px in CELL_SIZES
    assert geometry.num_columns == 32
    assert geometry.height_px > 330
