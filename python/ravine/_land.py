"""Land: a terrain of the library, its fields as numpy arrays, and its steps as methods."""
from __future__ import annotations

import ctypes
import os
import tempfile
import weakref
from math import isnan
from typing import Iterator, Mapping

import numpy as np

from ._arrays import Lease
from ._context import Context, Handle, ProgressLike, encoded
from ._devices import DeviceLike
from ._library import (
    DEVICE,
    OK,
    LayerDesc,
    Ledger,
    Report,
    TerrainDesc,
    UsageError,
    as_dict,
    lib,
)
from ._mesh import Mesh
from ._picture import Picture
from ._signatures import text_of
from ._steps import Steps
from ._table import steps


class Land(Steps):
    """A grid of heights in metres with named fields beside it. Row 0 is the north edge, column 0
    the west edge.

        land = ravine.Land(heights, cell=30)         # any array with rows and columns
        land.droplets(drops="200k").thermal()        # steps change the land and return it
        land["height"], land["flow"]                 # arrays, without a copy
        land["hardness"] = rock                      # copied into the land

    An array that the land hands out is the land as it was then: read-only, valid for ever, and
    never changed by later steps. (While such an array is still in use, the next step works on a
    copy of the land.)

    threads 0: one per core; any number gives the same bits. memory_limit 0: nine tenths of what is
    there. device: "cpu", "auto", "gpu" or a number of ravine.devices(), where steps that can run
    give the same bits. holes: "refuse" heights that are NaN, or "keep" them as holes, as the step
    open does.
    """

    def __init__(
        self,
        heights,
        cell: float = 10.0,
        *,
        holes: str = "refuse",
        threads: int = 0,
        memory_limit: int = 0,
        device: DeviceLike = "cpu",
    ):
        heights = np.ascontiguousarray(heights, dtype=np.float32)
        if heights.ndim != 2:
            raise UsageError(
                f"Heights are a grid of rows and columns, not {heights.ndim} dimensions."
            )
        if holes not in steps["open"].parameters["holes"].options:
            raise UsageError(f'holes="{holes}" is neither "refuse" nor "keep".')
        self._begin(Context(threads, memory_limit, device))
        if holes == "keep" and np.isnan(heights).any():
            self._open_array(heights, cell)
            return
        rows, columns = heights.shape
        desc, out = TerrainDesc(columns, rows, cell), ctypes.c_void_p()
        with self._context.idle() as ctx:
            self._context.check(lib.rv_terrain_create(ctx, ctypes.byref(desc), ctypes.byref(out)))
            self._handle = self._context.adopt(out, lib.rv_terrain_destroy)
            self._context.check(lib.rv_terrain_field_set(out, b"height", heights.ctypes.data))

    def _begin(self, context: Context) -> None:
        self._context = context
        self._leases: weakref.WeakSet[Lease] = weakref.WeakSet()
        self._report: dict = {}
        self._reports: list[dict] = []
        self._figures: dict[str, float] = {}
        self._checks: dict[str, bool] = {}

    def _open_array(self, heights: np.ndarray, cell: float) -> None:
        """As the step open reads a file of floats with holes."""
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "heights.npy")
            np.save(file, heights)
            self._start()
            self._step("open", {"file": file, "cell": cell, "holes": "keep"}, False)
        self._report = {}

    def _start(self) -> None:
        """Two cells, for a step that starts anew."""
        desc, out = TerrainDesc(2, 1, 1.0), ctypes.c_void_p()
        with self._context.idle() as ctx:
            self._context.check(lib.rv_terrain_create(ctx, ctypes.byref(desc), ctypes.byref(out)))
            self._handle = self._context.adopt(out, lib.rv_terrain_destroy)

    @classmethod
    def _of(cls, context: Context, handle: Handle) -> "Land":
        land = cls.__new__(cls)
        land._begin(context)
        land._handle = handle
        return land

    # ---- steps ----

    def _before_change(self) -> None:
        """Inside idle(): where arrays of the land are in use, it moves out and leaves its memory to
        them."""
        if not self._leases:
            return
        out = ctypes.c_void_p()
        context = self._context
        context.check(lib.rv_terrain_copy(self._handle.pointer, context.pointer, ctypes.byref(out)))
        self._handle = context.adopt(out, lib.rv_terrain_destroy)
        self._leases = weakref.WeakSet()

    def _run(self, step: str, values: Mapping[str, object], progress: ProgressLike) -> Report:
        context = self._context
        parameters = steps[step].parameters
        texts = {key: text_of(value, parameters.get(key)) for key, value in values.items()}
        report, params = Report(), ctypes.c_void_p()
        with context.working(progress) as ctx:
            context.check(lib.rv_params_create(ctx, encoded(step), ctypes.byref(params)))
            try:
                for key, text in texts.items():
                    context.check(lib.rv_params_set(params, encoded(key), encoded(text)))
                if steps[step].kind != "show":
                    self._before_change()
                status = lib.rv_params_run(params, self._handle.pointer, ctypes.byref(report))
                self._note_figures()
                context.check(status)
            finally:
                lib.rv_params_destroy(params)
        return report

    def _step(self, step: str, values: Mapping[str, object], progress: ProgressLike) -> "Land":
        report = self._run(step, values, progress)
        self._report = {"step": step, **_numbers(report), "messages": self._context.messages}
        return self

    def _note_figures(self) -> None:
        land = self._handle.pointer
        found = [lib.rv_terrain_figure(land, i) for i in range(lib.rv_terrain_figure_count(land))]
        if found:
            self._figures = {f.contents.name.decode(): f.contents.value for f in found}
            self._checks = {
                f.contents.name.decode(): bool(lib.rv_figure_passes(f))
                for f in found
                if lib.rv_figure_is_check(f)
            }

    # ---- what the land is ----

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        with self._context.idle():
            land = self._handle.pointer
            return lib.rv_terrain_height(land), lib.rv_terrain_width(land)

    @property
    def cell(self) -> float:
        """Metres between neighbouring cells."""
        with self._context.idle():
            return float(str(np.float32(lib.rv_terrain_cell(self._handle.pointer))))

    @property
    def hash(self) -> str:
        """Of size, layers and fields, as the program prints it."""
        with self._context.idle():
            value = lib.rv_terrain_hash(self._handle.pointer)
            self._context.check(OK if value else DEVICE)
            return f"{value:016x}"

    @property
    def volume(self) -> float:
        """Cubic metres above 0 m."""
        with self._context.idle():
            value = lib.rv_terrain_volume(self._handle.pointer)
            self._context.check(DEVICE if isnan(value) else OK)
            return value

    @property
    def ledger(self) -> dict[str, float]:
        """Where the material went, in cubic metres, in all steps since the land was made."""
        with self._context.idle():
            return as_dict(lib.rv_terrain_ledger(self._handle.pointer))

    @property
    def report(self) -> dict:
        """What the last step did: its ledger, water, messages. Empty before the first."""
        return self._report

    @property
    def reports(self) -> list[dict]:
        """Of land that a recipe made: what each of its steps did, all turns of a repeat
        together."""
        return self._reports

    @property
    def figures(self) -> dict[str, float]:
        """What the last measure found out, by name; NaN: not defined on this land."""
        return self._figures

    @property
    def checks(self) -> dict[str, bool]:
        """Of the figures those that are river checks: does the land pass?"""
        return self._checks

    @property
    def layers(self) -> list[dict]:
        """The materials from bedrock up: name, thickness (an array), erodibility, talus, colour and
        ledger."""
        with self._context.idle():
            land = self._handle.pointer
            return [self._layer(land, index) for index in range(lib.rv_terrain_layer_count(land))]

    def _layer(self, land, index: int) -> dict:
        desc: LayerDesc = lib.rv_terrain_layer(land, index)
        thickness = lib.rv_terrain_layer_thickness(land, index)
        self._context.check(OK if thickness else DEVICE)
        moved: Ledger = lib.rv_terrain_layer_ledger(land, index)
        return {
            "name": desc.name.decode(),
            "thickness": self._view(thickness),
            "erodibility": desc.erodibility,
            "talus": desc.talus,
            "colour": desc.colour,
            "eroded": moved.eroded,
            "deposited": moved.deposited,
        }

    def add_layer(
        self,
        name: str,
        thickness,
        *,
        erodibility: float = 1.0,
        talus: float = 35.0,
        colour: int = 0,
    ) -> "Land":
        """Puts a layer of material on top: its thickness in metres, an array or a number; the talus
        angle in degrees; the colour in pictures as 0xffRRGGBB, 0: none. (The step layer makes one
        by rules.)
        """
        thickness = np.asarray(thickness, dtype=np.float32)
        with self._context.idle():
            values = self._grid(thickness)
            self._before_change()
            desc = LayerDesc(encoded(name), erodibility, talus, colour)
            self._context.check(
                lib.rv_terrain_layer_add(
                    self._handle.pointer, ctypes.byref(desc), values.ctypes.data
                )
            )
        return self

    # ---- fields ----

    def _view(self, address: int) -> np.ndarray:
        """Inside idle(): an array of the land's own memory."""
        land = self._handle.pointer
        shape = lib.rv_terrain_height(land), lib.rv_terrain_width(land)
        lease = Lease(self._handle, address, shape, np.float32)
        self._leases.add(lease)
        return lease.array()

    def _grid(self, values: np.ndarray) -> np.ndarray:
        """Inside idle(), so that no other thread resizes the land: as large as it is."""
        land = self._handle.pointer
        shape = lib.rv_terrain_height(land), lib.rv_terrain_width(land)
        return np.ascontiguousarray(np.broadcast_to(values, shape))

    @property
    def fields(self) -> list[str]:
        """Names of the fields that the land has, height first."""
        with self._context.idle():
            land = self._handle.pointer
            count = lib.rv_terrain_field_count(land)
            return ["height", *(lib.rv_terrain_field_name(land, i).decode() for i in range(count))]

    def __getitem__(self, field: str) -> np.ndarray:
        if not isinstance(field, str):
            raise TypeError('A field has a name: land["height"]. The array may then be indexed.')
        with self._context.idle():
            address = lib.rv_terrain_field(self._handle.pointer, encoded(field))
            if address:
                return self._view(address)
        names = self.fields
        self._context.check(DEVICE if field in names else OK)
        raise KeyError(f'The land has no field "{field}"; it has {", ".join(names)}.')

    def __setitem__(self, field: str, values) -> None:
        """Sets a field: a number, or an array of rows and columns. Heights of layers above bedrock
        stay on it."""
        values = np.asarray(values, dtype=np.float32)
        with self._context.idle():
            values = self._grid(values)
            self._before_change()
            self._context.check(
                lib.rv_terrain_field_set(self._handle.pointer, encoded(field), values.ctypes.data)
            )

    def __contains__(self, field: object) -> bool:
        return field in self.fields

    def __iter__(self) -> Iterator[str]:
        return iter(self.fields)

    def __array__(self, dtype=None, copy=None) -> np.ndarray:
        """The heights: np.asarray(land)."""
        heights = self["height"]
        if dtype is not None and heights.dtype != dtype:
            return heights.astype(dtype)
        return heights.copy() if copy else heights

    # ---- copies ----

    def copy(self) -> "Land":
        """The same land once more. Both may run at the same time, in two threads."""
        mine = self._context.pointer
        context = Context(
            lib.rv_context_threads(mine),
            lib.rv_context_memory_limit(mine),
            lib.rv_context_device(mine),
        )
        out = ctypes.c_void_p()
        with self._context.idle(), context.idle() as ctx:
            context.check(lib.rv_terrain_copy(self._handle.pointer, ctx, ctypes.byref(out)))
            copy = Land._of(context, context.adopt(out, lib.rv_terrain_destroy))
        copy._report, copy._reports = self._report, self._reports
        copy._figures, copy._checks = self._figures, self._checks
        return copy

    __copy__ = copy

    def __deepcopy__(self, memo) -> "Land":
        return self.copy()

    def __reduce__(self):
        layers = [
            {key: layer[key] for key in ("name", "thickness", "erodibility", "talus", "colour")}
            for layer in self.layers
        ]
        state = self.cell, layers, {name: self[name] for name in self.fields[1:]}
        if _rebuilt(*state).hash != self.hash:
            raise TypeError(
                "Land with strata or with hardness in three dimensions cannot be pickled: run its "
                "recipe on the other side instead."
            )
        return _rebuilt, state

    # ---- to look at ----

    def picture(self, step: str = "render", **values) -> Picture:
        """A picture that a step would write to a file, such as hillshade, paint or render; values
        are its parameters. A notebook shows it."""
        if "file" not in steps[step].parameters or steps[step].kind != "show":
            raise UsageError(f"The step {step} makes no picture.")
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "picture.png")
            self._run(step, {"file": file, **values}, None)
            with open(file, "rb") as picture:
                return Picture(picture.read())

    def _repr_png_(self) -> bytes:
        return self.picture("render", width=640, height=360).data

    def mesh(self, error: float = 0.0, depth: float = 0.0) -> Mesh:
        """The surface as triangles: x east, y north, z up, in metres. error: how far the triangles
        may be from a cell; 0: every cell is a vertex. depth: a closed block with its base so far
        below; 0: the surface.
        """
        out = ctypes.c_void_p()
        with self._context.working():
            self._context.check(
                lib.rv_mesh_from_terrain(self._handle.pointer, error, depth, ctypes.byref(out))
            )
            return Mesh._of(self._context, self._context.adopt(out, lib.rv_mesh_destroy))

    def __repr__(self) -> str:
        rows, columns = self.shape
        heights = self["height"]
        low, high = float(heights.min()), float(heights.max())
        return (
            f"<Land: {rows} rows, {columns} columns of {self.cell:g} m, {low:.1f} to {high:.1f} m, "
            f"fields {', '.join(self.fields)}, hash {self.hash}>"
        )

    # ---- landlab ----

    def to_landlab(self, fields=(), elevation: str = "topographic__elevation"):
        """A landlab RasterModelGrid with the heights, and these fields, at its nodes; holes are
        closed nodes."""
        from . import _landlab

        return _landlab.grid_of(self, fields, elevation)


def _numbers(report: Report) -> dict:
    return {
        "ledger": as_dict(report.ledger),
        "water": as_dict(report.water),
        "drop_steps": report.drop_steps,
    }


def _rebuilt(cell: float, layers: list[dict], fields: dict[str, np.ndarray]) -> Land:
    land = Land(layers[0]["thickness"], cell)
    for layer in layers[1:]:
        land.add_layer(**layer)
    for name, values in fields.items():
        land[name] = values
    return land
