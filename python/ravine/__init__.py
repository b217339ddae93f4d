"""Ravine makes terrain and erodes it as water and gravity do.

    import ravine

    land = ravine.terrain(size=256).noise(seed=7).droplets(drops="200k")
    land["height"]                # a numpy array, without a copy
    land.ledger                   # where the material went
    land.save("land.png")

    ravine.run("terrain size=256 noise seed=7 droplets drops=200k save land.png")

Every step of the program is a method of Land, with the same parameters: help(ravine.Land.droplets).
The same recipe gives the same bits as the program, with any number of threads: land.hash.
"""
from ._devices import Device, devices
from ._landlab import from_landlab
from ._land import Land
from ._library import (
    Cancelled,
    DeviceError,
    Error,
    InputError,
    InternalError,
    MemoryLimitError,
    OutputError,
    UnmetError,
    UsageError,
    lib as _lib,
)
from ._mesh import Mesh
from ._picture import Picture
from ._progress import Now
from ._recipe import Recipe, resume, run
from ._scene import Scene
from ._steps import *  # terrain, open: what makes a new land
from ._steps import __all__ as _starts
from ._table import Field, Parameter, Step, Word, fields, kinds, presets, scene_words, steps

__version__: str = _lib.rv_version().decode()
__all__ = [
    "Cancelled",
    "Device",
    "DeviceError",
    "Error",
    "Field",
    "InputError",
    "InternalError",
    "Land",
    "MemoryLimitError",
    "Mesh",
    "Now",
    "OutputError",
    "Parameter",
    "Picture",
    "Recipe",
    "Scene",
    "Step",
    "UnmetError",
    "UsageError",
    "Word",
    "devices",
    "fields",
    "from_landlab",
    "kinds",
    "presets",
    "resume",
    "run",
    "scene_words",
    "steps",
]
__all__ += _starts
