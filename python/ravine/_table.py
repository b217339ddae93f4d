"""The library's tables of steps, scene words and fields. No numpy here either."""
from __future__ import annotations

import ctypes
from dataclasses import dataclass

from ._library import STRUCTS, ParamInfo, WordInfo, lib, printed

TYPES = ("real", "int", "count", "seed", "switch", "choice", "text", "file", "vector")
RESIZES = 1  # RV_STEP_FLAG_RESIZES


@dataclass(frozen=True)
class Parameter:
    """One parameter of a step or of a scene word."""

    name: str
    type: str  # real, int, count, seed, switch, choice, text, file or vector
    default: object  # as Python has it; None: the step chooses, or a file that must be given
    required: bool
    writes: bool  # a file, or the folder of files, that is written; else it is read
    auto: bool  # may it be None?
    low: float | None
    high: float | None
    in_cells: bool  # a length in m that may also be said as "3cells"
    unit: str
    help: str
    options: dict[str, str]  # of a choice: its names and what they mean


@dataclass(frozen=True)
class Step:
    """One step, as the table has it."""

    name: str
    kind: str  # make, shape, limit, wear, show or order
    sentence: str
    source: str  # the paper it comes from
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    resizes: bool
    parameters: dict[str, Parameter]

    @property
    def starts(self) -> bool:
        """Does it make a new land, whatever was there?"""
        return self.kind == "make" and self.resizes


@dataclass(frozen=True)
class Word:
    """A word that scenes are written in."""

    name: str
    sentence: str
    parameters: dict[str, Parameter]


@dataclass(frozen=True)
class Field:
    """What the numbers of a field mean."""

    name: str
    unit: str
    meaning: str


def value_of(info: ParamInfo, params) -> object:
    """A value of a parameter struct, as Python has it; None: auto, or no file."""
    kind = TYPES[info.type]
    if kind in ("text", "file"):
        text = lib.rv_param_text(ctypes.byref(info), params)
        return None if text is None else text.decode(errors="surrogateescape")
    text = printed(lib.rv_param_print, ctypes.byref(info), params)
    if text == "auto":
        return None
    if kind == "real":
        return text if text.endswith("cells") else float(text)
    if kind == "switch":
        return text == "yes"
    if kind == "choice":
        return text
    if kind == "vector":
        return tuple(float(number) for number in text.split("/"))
    return int(text)


def values_of(word: WordInfo, params) -> dict[str, object]:
    """All values of a parameter struct, by name."""
    return {
        word.params[i].name.decode(): value_of(word.params[i], params)
        for i in range(word.param_count)
    }


def _parameters(word: WordInfo) -> dict[str, Parameter]:
    struct = ctypes.create_string_buffer(word.params_size)
    lib.rv_word_default(ctypes.byref(word), struct)
    found = {}
    for i in range(word.param_count):
        info = word.params[i]
        kind = TYPES[info.type]
        ranged = kind in ("real", "int", "count")
        found[info.name.decode()] = Parameter(
            name=info.name.decode(),
            type=kind,
            default=value_of(info, struct),
            required=bool(info.required),
            writes=bool(info.writes),
            auto=bool(lib.rv_param_has_auto(ctypes.byref(info))),
            low=info.low if ranged else None,
            high=info.high if ranged else None,
            in_cells=bool(info.in_cells),
            unit=info.unit.decode(),
            help=info.help.decode(),
            options={
                info.options[o].name.decode(): info.options[o].help.decode()
                for o in range(info.option_count)
            },
        )
    return found


def _steps() -> dict[str, Step]:
    found = {}
    for index in range(lib.rv_step_count()):
        info = lib.rv_step_get(index).contents
        name = info.word.name.decode()
        found[name] = Step(
            name=name,
            kind=lib.rv_kind_name(info.kind).decode(),
            sentence=info.word.sentence.decode(),
            source=info.source.decode(),
            reads=tuple(info.reads.decode().split()),
            writes=tuple(info.writes.decode().split()),
            resizes=bool(info.flags & RESIZES),
            parameters=_parameters(info.word),
        )
    return found


def _kinds() -> dict[str, str]:
    numbers = {lib.rv_step_get(index).contents.kind for index in range(lib.rv_step_count())}
    return {
        lib.rv_kind_name(number).decode(): lib.rv_kind_text(number).decode()
        for number in sorted(numbers)
    }


def _words() -> dict[str, Word]:
    infos = [lib.rv_scene_word(index).contents for index in range(lib.rv_scene_word_count())]
    return {
        info.name.decode(): Word(info.name.decode(), info.sentence.decode(), _parameters(info))
        for info in infos
    }


def _fields() -> dict[str, Field]:
    infos = [lib.rv_field_get(index).contents for index in range(lib.rv_field_count())]
    return {
        info.name.decode(): Field(info.name.decode(), info.unit.decode(), info.meaning.decode())
        for info in infos
    }


steps: dict[str, Step] = _steps()
scene_words: dict[str, Word] = _words()
fields: dict[str, Field] = _fields()
#: Kinds of steps, and what they do: "make land" ...
kinds: dict[str, str] = _kinds()
presets: tuple[str, ...] = tuple(
    lib.rv_scene_preset_name(index).decode() for index in range(lib.rv_scene_preset_count())
)


def _abi() -> int:
    """The number that rv_abi() of the header makes, from the structs as this package has them: the
    library refuses to work with a package that was made for another one."""
    number = lib.rv_version_number() // 100
    for step in steps.values():
        names = [step.name]
        for parameter in step.parameters.values():
            names += [parameter.name, *parameter.options]
        for letter in "".join(name + "\0" for name in names).encode():
            number = number * 31 + letter
    sizes = [
        lib.rv_step_get(index).contents.word.params_size for index in range(lib.rv_step_count())
    ]
    sizes += [ctypes.sizeof(struct) for struct in STRUCTS]
    for size in sizes:
        number = number * 31 + size
    return number % 2**32


abi: int = _abi()
