"""landlab's grids in and out. Where landlab is not installed, a stand-in with the documented part
of RasterModelGrid takes its place: shape, xy_spacing, dx, dy, at_node, add_field,
status_at_node."""
import importlib.util
import sys
import types

import numpy as np
import pytest
import ravine


class RasterModelGrid:
    """Node 0 is the south-west corner, and nodes go east first; nodes of the edge are open
    boundaries."""

    def __init__(self, shape, xy_spacing=1.0):
        self.shape = tuple(shape)
        self.dx, self.dy = (xy_spacing, xy_spacing) if np.isscalar(xy_spacing) else xy_spacing
        self.number_of_nodes = shape[0] * shape[1]
        self.at_node = {}
        status = np.ones(shape, dtype=np.uint8)
        status[1:-1, 1:-1] = 0
        self.status_at_node = status.ravel()

    def add_field(self, name, values, at):
        assert at == "node" and len(values) == self.number_of_nodes
        self.at_node[name] = np.asarray(values)
        return self.at_node[name]


@pytest.fixture
def grids(monkeypatch):
    if importlib.util.find_spec("landlab") is None:
        module = types.ModuleType("landlab")
        module.RasterModelGrid = RasterModelGrid
        monkeypatch.setitem(sys.modules, "landlab", module)
    from landlab import RasterModelGrid as Grid

    return Grid


def test_there_and_back(grids):
    land = ravine.terrain(width=30, height=20, cell=25).noise().droplets(drops=500)
    grid = land.to_landlab(fields=["flow"])
    assert grid.shape == (20, 30) and grid.dx == grid.dy == 25
    heights = grid.at_node["topographic__elevation"]
    assert heights.dtype == np.float64
    assert heights[0] == land["height"][-1, 0], "node 0 is the south-west corner"
    assert heights[-1] == land["height"][0, -1]
    again = ravine.from_landlab(grid, fields=["flow"])
    assert again.cell == 25
    assert np.array_equal(again["height"], land["height"]) and np.array_equal(
        again["flow"], land["flow"]
    )


def test_closed_nodes_are_holes(grids):
    grid = grids((5, 6), xy_spacing=10.0)
    heights = np.full(30, 100.0)
    heights[7] = -9999.0
    grid.add_field("topographic__elevation", heights, at="node")
    grid.status_at_node[7] = 4
    land = ravine.from_landlab(grid)
    assert land["hole"].sum() == 1 and land["hole"][3, 1] == 1
    assert (land["height"] == 100).all(), "-9999 is no height"
    assert land.to_landlab().status_at_node[7] == 4


def test_cells_must_be_square(grids):
    grid = grids((4, 4), xy_spacing=(10.0, 20.0))
    grid.add_field("topographic__elevation", np.zeros(16), at="node")
    with pytest.raises(ravine.UsageError, match="square"):
        ravine.from_landlab(grid)
