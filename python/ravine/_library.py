"""The C library that lies beside this file: its structs and functions, as ravine/ravine.h has them.

Calls release Python's lock while they run. Nothing here needs numpy, so that the build can read the
table.
"""
from __future__ import annotations

import ctypes
from ctypes import (
    CFUNCTYPE,
    POINTER,
    Structure,
    c_bool,
    c_char,
    c_char_p,
    c_double,
    c_float,
    c_int,
    c_int64,
    c_size_t,
    c_uint,
    c_uint32,
    c_uint64,
    c_void_p,
)
from pathlib import Path

PATH = Path(__file__).with_name("libravine.so")
if not PATH.exists():
    raise ImportError(
        f"{PATH} is missing: this is the source of the package. "
        f"Install it with: pip install {PATH.parent.parent}"
    )
lib = ctypes.CDLL(str(PATH))

# ---- status and the exceptions that stand for it ----

OK, CANCELLED, USAGE, INPUT, OUTPUT, MEMORY, UNMET, VERSION, INTERNAL, DEVICE = range(10)


class Error(Exception):
    """Something that Ravine could not do. The text is one sentence that says why."""


class Cancelled(Error):
    """The progress function asked to stop."""


class UsageError(Error, ValueError):
    """An unknown word, a value out of range, a call that makes no sense."""


class InputError(Error, OSError):
    """A file that cannot be read or holds something else, or values that are no numbers."""


class OutputError(Error, OSError):
    """A file that cannot be written."""


class MemoryLimitError(Error, MemoryError):
    """More memory than the limit or the machine has."""


class UnmetError(Error):
    """The land is not what a step requires of it; nothing else is wrong."""


class DeviceError(Error):
    """A GPU or another device that is not there, or that fails."""


class InternalError(Error):
    """A bug in Ravine."""


EXCEPTIONS = {
    CANCELLED: Cancelled,
    USAGE: UsageError,
    INPUT: InputError,
    OUTPUT: OutputError,
    MEMORY: MemoryLimitError,
    UNMET: UnmetError,
    VERSION: InternalError,
    INTERNAL: InternalError,
    DEVICE: DeviceError,
}

# ---- structs ----


class Progress(Structure):
    _fields_ = [("step", c_char_p), ("done", c_double), ("total", c_double), ("land", c_void_p)]


PROGRESS_FN = CFUNCTYPE(c_bool, c_void_p, POINTER(Progress))
LOG_FN = CFUNCTYPE(None, c_void_p, c_char_p)


class Allocator(Structure):
    _fields_ = [("allocate", c_void_p), ("release", c_void_p), ("user", c_void_p)]


class ContextDesc(Structure):
    _fields_ = [
        ("threads", c_int),
        ("memory_limit", c_size_t),
        ("allocator", Allocator),
        ("log", LOG_FN),
        ("progress", PROGRESS_FN),
        ("made", c_void_p),
        ("user", c_void_p),
    ]


class TerrainDesc(Structure):
    _fields_ = [("width", c_int), ("height", c_int), ("cell", c_float)]


class LayerDesc(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("erodibility", c_float),
        ("talus", c_float),
        ("colour", c_uint32),
    ]


class Ledger(Structure):
    _fields_ = [
        (name, c_double)
        for name in ("eroded", "deposited", "left_map", "suspended", "raised", "before")
    ]


class Water(Structure):
    _fields_ = [
        (name, c_double)
        for name in ("before", "rained", "evaporated", "absorbed", "left_map", "standing")
    ]


class OptionInfo(Structure):
    _fields_ = [("name", c_char_p), ("help", c_char_p)]


class ParamInfo(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("type", c_int),
        ("offset", c_size_t),
        ("default", c_double),
        ("low", c_double),
        ("high", c_double),
        ("seed", c_uint64),
        ("required", c_bool),
        ("writes", c_bool),
        ("in_cells", c_bool),
        ("text", c_char_p),
        ("vector", c_double * 3),
        ("unit", c_char_p),
        ("help", c_char_p),
        ("options", POINTER(OptionInfo)),
        ("option_count", c_int),
    ]


class WordInfo(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("sentence", c_char_p),
        ("params_size", c_size_t),
        ("params", POINTER(ParamInfo)),
        ("param_count", c_int),
    ]


class StepInfo(Structure):
    _fields_ = [
        ("word", WordInfo),
        ("id", c_int),
        ("kind", c_int),
        ("flags", c_uint),
        ("source", c_char_p),
        ("reads", c_char_p),
        ("writes", c_char_p),
    ]


class FieldInfo(Structure):
    _fields_ = [("name", c_char_p), ("unit", c_char_p), ("meaning", c_char_p)]


class Report(Structure):
    _fields_ = [
        ("step", c_int),
        ("params", c_void_p),
        ("ledger", Ledger),
        ("water", Water),
        ("drop_steps", c_uint64),
        ("land", c_void_p),
        ("seconds", c_double),
        ("turn", c_int64),
        ("turns", c_int64),
        ("hash", c_uint64),
        ("stopped", c_bool),
    ]


class Figure(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("label", c_char_p),
        ("unit", c_char_p),
        ("value", c_double),
        ("min", c_double),
        ("max", c_double),
    ]


class Plan(Structure):
    _fields_ = [
        ("step", c_int),
        ("width", c_int),
        ("height", c_int),
        ("cell", c_float),
        ("memory", c_size_t),
    ]


BEFORE_FN = CFUNCTYPE(None, c_void_p, c_int, c_int)
AFTER_FN = CFUNCTYPE(None, c_void_p, c_int, POINTER(Report))


class Watch(Structure):
    _fields_ = [
        ("before", BEFORE_FN),
        ("after", AFTER_FN),
        ("user", c_void_p),
        ("checkpoint", c_char_p),
        ("every", c_double),
        ("keep", c_bool),
        ("no_hash", c_bool),
    ]


class FrameTimes(Structure):
    _fields_ = [
        (name, c_double) for name in ("particles", "faces", "pressure", "force", "advance", "frame")
    ]


class Frame(Structure):
    _fields_ = [
        ("frame", c_int64),
        ("frames", c_int64),
        ("every", c_int64),
        ("time", c_double),
        ("particles", c_size_t),
        ("vertices", c_size_t),
        ("faces", c_size_t),
        ("smallest_angle", c_double),
        ("ledger", Ledger),
        ("owed", c_double),
        ("volume", c_double),
        ("refused", c_size_t),
        ("pushed_out", c_size_t),
        ("trapped", c_size_t),
        ("ms", FrameTimes),
        ("hash", c_uint64),
    ]


class Particles(Structure):
    _fields_ = [
        ("count", c_size_t),
        ("origin", c_double * 3),
        ("spacing", c_float),
        ("positions", POINTER(c_float)),
        ("velocities", POINTER(c_float)),
        ("sediments", POINTER(c_double)),
        ("ids", POINTER(c_uint32)),
    ]


class ScenePlan(Structure):
    _fields_ = [
        ("frames", c_int64),
        ("particles", c_size_t),
        ("vertices", c_size_t),
        ("faces", c_size_t),
        ("low", c_double * 3),
        ("high", c_double * 3),
        ("spacing", c_double),
        ("memory", c_size_t),
    ]


FRAME_FN = CFUNCTYPE(None, c_void_p, POINTER(Frame))


class SceneWatch(Structure):
    _fields_ = [
        ("after", FRAME_FN),
        ("user", c_void_p),
        ("checkpoint", c_char_p),
        ("every", c_double),
    ]


class Fault(Structure):
    _fields_ = [
        ("kind", c_int),
        ("face", c_uint32),
        ("other", c_uint32),
        ("vertex", c_uint32 * 2),
        ("at", c_double * 3),
    ]


class SheetEntry(Structure):
    _fields_ = [("png", c_char_p), ("text", c_char_p)]


class DeviceInfo(Structure):
    _fields_ = [
        ("platform", c_char * 64),
        ("name", c_char * 128),
        ("driver", c_char * 64),
        ("memory", c_uint64),
        ("largest", c_uint64),
        ("gpu", c_bool),
        ("doubles", c_bool),
    ]


FAULT_FN = CFUNCTYPE(None, c_void_p, POINTER(Fault))

#: In the order in which rv_abi() of the header counts them.
STRUCTS = (
    ContextDesc,
    Progress,
    TerrainDesc,
    LayerDesc,
    Ledger,
    Fault,
    OptionInfo,
    ParamInfo,
    WordInfo,
    StepInfo,
    FieldInfo,
    Report,
    Figure,
    Plan,
    Watch,
    Frame,
    Particles,
    ScenePlan,
    SceneWatch,
    SheetEntry,
    DeviceInfo,
)

# ---- functions ----

_out = POINTER(c_void_p)
_functions = {
    "rv_version": (c_char_p,),
    "rv_version_number": (c_int,),
    "rv_status_text": (c_char_p, c_int),
    "rv_context_open": (c_int, c_uint32, POINTER(ContextDesc), _out),
    "rv_context_destroy": (None, c_void_p),
    "rv_context_error": (c_char_p, c_void_p),
    "rv_context_threads": (c_int, c_void_p),
    "rv_context_memory_limit": (c_size_t, c_void_p),
    "rv_context_memory_peak": (c_size_t, c_void_p),
    "rv_context_memory_used": (c_size_t, c_void_p),
    "rv_device_count": (c_int,),
    "rv_device_get": (c_bool, c_int, POINTER(DeviceInfo)),
    "rv_context_progress_land": (None, c_void_p, c_bool),
    "rv_context_use_device": (c_int, c_void_p, c_int),
    "rv_context_device": (c_int, c_void_p),
    "rv_terrain_create": (c_int, c_void_p, POINTER(TerrainDesc), _out),
    "rv_terrain_copy": (c_int, c_void_p, c_void_p, _out),
    "rv_terrain_destroy": (None, c_void_p),
    "rv_terrain_width": (c_int, c_void_p),
    "rv_terrain_height": (c_int, c_void_p),
    "rv_terrain_cell": (c_float, c_void_p),
    "rv_terrain_layer_count": (c_int, c_void_p),
    "rv_terrain_layer": (LayerDesc, c_void_p, c_int),
    "rv_terrain_layer_thickness": (c_void_p, c_void_p, c_int),
    "rv_terrain_layer_ledger": (Ledger, c_void_p, c_int),
    "rv_terrain_layer_add": (c_int, c_void_p, POINTER(LayerDesc), c_void_p),
    "rv_terrain_field": (c_void_p, c_void_p, c_char_p),
    "rv_terrain_field_set": (c_int, c_void_p, c_char_p, c_void_p),
    "rv_terrain_field_count": (c_int, c_void_p),
    "rv_terrain_field_name": (c_char_p, c_void_p, c_int),
    "rv_terrain_ledger": (Ledger, c_void_p),
    "rv_terrain_volume": (c_double, c_void_p),
    "rv_terrain_hash": (c_uint64, c_void_p),
    "rv_terrain_figure_count": (c_int, c_void_p),
    "rv_terrain_figure": (POINTER(Figure), c_void_p, c_int),
    "rv_figure_is_check": (c_bool, POINTER(Figure)),
    "rv_figure_passes": (c_bool, POINTER(Figure)),
    "rv_mesh_from_terrain": (c_int, c_void_p, c_float, c_float, _out),
    "rv_mesh_load": (c_int, c_void_p, c_char_p, _out),
    "rv_mesh_save": (c_int, c_void_p, c_char_p, c_void_p),
    "rv_mesh_destroy": (None, c_void_p),
    "rv_mesh_vertex_count": (c_size_t, c_void_p),
    "rv_mesh_face_count": (c_size_t, c_void_p),
    "rv_mesh_points": (c_void_p, c_void_p),
    "rv_mesh_faces": (c_void_p, c_void_p),
    "rv_mesh_volume": (c_double, c_void_p),
    "rv_mesh_check": (c_int, c_void_p, FAULT_FN, c_void_p),
    "rv_fault_print": (c_int, POINTER(Fault), c_char_p, c_size_t),
    "rv_step_count": (c_int,),
    "rv_step_get": (POINTER(StepInfo), c_int),
    "rv_step_name": (c_char_p, c_int),
    "rv_kind_name": (c_char_p, c_int),
    "rv_kind_text": (c_char_p, c_int),
    "rv_field_count": (c_int,),
    "rv_field_get": (POINTER(FieldInfo), c_int),
    "rv_param_has_auto": (c_bool, POINTER(ParamInfo)),
    "rv_param_text": (c_char_p, POINTER(ParamInfo), c_void_p),
    "rv_param_print": (c_int, POINTER(ParamInfo), c_void_p, c_char_p, c_size_t),
    "rv_word_default": (None, POINTER(WordInfo), c_void_p),
    "rv_params_create": (c_int, c_void_p, c_char_p, _out),
    "rv_params_destroy": (None, c_void_p),
    "rv_params_set": (c_int, c_void_p, c_char_p, c_char_p),
    "rv_params_run": (c_int, c_void_p, c_void_p, POINTER(Report)),
    "rv_recipe_parse": (c_int, c_void_p, c_char_p, c_char_p, _out),
    "rv_recipe_load": (c_int, c_void_p, c_char_p, _out),
    "rv_recipe_destroy": (None, c_void_p),
    "rv_recipe_add_words": (c_int, c_void_p, c_int, POINTER(c_char_p)),
    "rv_recipe_count": (c_int, c_void_p),
    "rv_recipe_step": (c_int, c_void_p, c_int),
    "rv_recipe_params": (c_void_p, c_void_p, c_int),
    "rv_recipe_print": (c_int, c_void_p, c_char_p, c_size_t),
    "rv_recipe_plan": (c_int, c_void_p, POINTER(Plan)),
    "rv_recipe_run": (c_int, c_void_p, POINTER(Watch), _out),
    "rv_recipe_resume": (c_int, c_void_p, c_char_p, POINTER(Watch), _out),
    "rv_scene_word_count": (c_int,),
    "rv_scene_word": (POINTER(WordInfo), c_int),
    "rv_scene_load": (c_int, c_void_p, c_char_p, _out),
    "rv_scene_parse": (c_int, c_void_p, c_char_p, c_char_p, _out),
    "rv_scene_create": (c_int, c_void_p, c_char_p, _out),
    "rv_scene_preset_count": (c_int,),
    "rv_scene_preset_name": (c_char_p, c_int),
    "rv_scene_destroy": (None, c_void_p),
    "rv_scene_add_words": (c_int, c_void_p, c_int, POINTER(c_char_p)),
    "rv_scene_print": (c_int, c_void_p, c_char_p, c_size_t),
    "rv_scene_start": (c_int, c_void_p),
    "rv_scene_step": (c_int, c_void_p),
    "rv_scene_info": (c_int, c_void_p, POINTER(Frame)),
    "rv_scene_mesh": (c_int, c_void_p, _out),
    "rv_scene_material_count": (c_int, c_void_p),
    "rv_scene_material_name": (c_char_p, c_void_p, c_int),
    "rv_scene_material_ledger": (Ledger, c_void_p, c_int),
    "rv_scene_particles": (c_int, c_void_p, POINTER(Particles)),
    "rv_scene_picture": (c_int, c_void_p, c_char_p),
    "rv_scene_save": (c_int, c_void_p, c_char_p),
    "rv_scene_resume": (c_int, c_void_p, c_char_p, _out),
    "rv_scene_run": (c_int, c_void_p, POINTER(SceneWatch)),
}
for _name, (_result, *_arguments) in _functions.items():
    _function = getattr(lib, _name)
    _function.restype, _function.argtypes = _result, _arguments


def as_dict(struct: Structure) -> dict:
    """A struct of plain numbers as a dict."""
    return {name: getattr(struct, name) for name, *_ in struct._fields_}


def printed(function, *arguments) -> str | None:
    """The text of a function that prints as snprintf does; None where it cannot."""
    size = function(*arguments, None, 0)
    if size < 0:
        return None
    text = ctypes.create_string_buffer(size + 1)
    function(*arguments, text, size + 1)
    return text.value.decode()
