"""landlab's RasterModelGrid in and out. landlab is imported only where a grid must be made."""
from __future__ import annotations

import numpy as np

from ._devices import DeviceLike
from ._land import Land
from ._library import UsageError

CLOSED = 4  # landlab's NodeStatus.CLOSED: a node that takes no part


def from_landlab(
    grid,
    elevation: str = "topographic__elevation",
    fields=(),
    *,
    threads: int = 0,
    memory_limit: int = 0,
    device: DeviceLike = "cpu",
) -> Land:
    """The land of a landlab RasterModelGrid: its elevation in metres, and these other fields at
    nodes. Closed nodes become holes. landlab counts rows from the south, a land from the north."""
    if grid.dx != grid.dy:
        raise UsageError(f"Cells must be square; those of the grid are {grid.dx:g} x {grid.dy:g}.")
    heights = _rows(grid, grid.at_node[elevation]).astype(np.float32)
    heights[_rows(grid, grid.status_at_node) == CLOSED] = np.nan
    land = Land(
        heights, grid.dx, holes="keep", threads=threads, memory_limit=memory_limit, device=device
    )
    for name in fields:
        land[name] = _rows(grid, grid.at_node[name])
    return land


def grid_of(land: Land, fields, elevation: str):
    """See Land.to_landlab."""
    from landlab import RasterModelGrid

    grid = RasterModelGrid(land.shape, xy_spacing=land.cell)
    grid.add_field(elevation, _nodes(land["height"]), at="node")
    for name in fields:
        grid.add_field(name, _nodes(land[name]), at="node")
    if "hole" in land:
        grid.status_at_node[_nodes(land["hole"]) > 0] = CLOSED
    return grid


def _rows(grid, values) -> np.ndarray:
    return np.asarray(values).reshape(grid.shape)[::-1]


def _nodes(values: np.ndarray) -> np.ndarray:
    return values[::-1].astype(np.float64).ravel()
