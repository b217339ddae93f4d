"""What the steps look like as Python functions. No numpy here: the build writes the stubs from
it."""
from __future__ import annotations

import inspect
import keyword
import os

from ._table import Parameter, Step, steps


def text_of(value: object, parameter: Parameter | None = None) -> str:
    """A value as a recipe says it."""
    if value is None:
        return "auto"
    if hasattr(value, "tolist"):  # of numpy
        value = value.tolist()
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, os.PathLike):
        return os.fsdecode(value)
    if isinstance(value, float):
        whole = parameter is not None and parameter.type in ("int", "count", "seed")
        return str(int(value)) if whole and value.is_integer() else repr(value)
    if isinstance(value, (tuple, list)):
        return "/".join(text_of(number) for number in value)
    return str(value)


def document(step: Step) -> str:
    """The docstring of a step."""
    lines = [step.sentence, ""]
    for parameter in step.parameters.values():
        limits = "" if parameter.low is None else f"{parameter.low:.7g} to {parameter.high:.7g}"
        notes = " ".join(note for note in (limits, parameter.unit) if note)
        lines.append(f"{parameter.name}: {parameter.help}" + (f" ({notes})" if notes else ""))
        lines += [f"    {option!r}: {meaning}" for option, meaning in parameter.options.items()]
    if step.parameters:
        lines.append("")
    if step.reads:
        lines.append(f"Reads the fields {', '.join(step.reads)}.".replace("fields *", "all fields"))
    if step.writes:
        lines.append(
            f"Writes the fields {', '.join(step.writes)}.".replace("fields *", "all fields")
        )
    lines.append(f"Source: {step.source}")
    return "\n".join(lines)


def parameters_of(step: Step) -> list[inspect.Parameter]:
    """As a recipe has it: a file or a count that comes first may stand without its name."""
    found = []
    for index, parameter in enumerate(step.parameters.values()):
        first = index == 0 and parameter.type in ("file", "count")
        found.append(
            inspect.Parameter(
                parameter.name,
                inspect.Parameter.POSITIONAL_OR_KEYWORD
                if first
                else inspect.Parameter.KEYWORD_ONLY,
                default=inspect.Parameter.empty if parameter.required else parameter.default,
            )
        )
    return found


def own_parameters(step: Step) -> list[inspect.Parameter]:
    """What the package adds to the parameters of a step."""
    names = {"progress": None}
    if step.starts:
        names.update(threads=0, memory_limit=0, device="cpu")
    taken = set(names) & set(step.parameters)
    if taken or any(keyword.iskeyword(name) for name in (step.name, *step.parameters)):
        raise ImportError(f"The step {step.name} has a parameter that Python cannot have.")
    return [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default)
        for name, default in names.items()
    ]


#  Steps that make a new land, and those that work on one. In what order they run, Python says
# itself.
STARTS = [step for step in steps.values() if step.starts]
METHODS = [step for step in steps.values() if not step.starts and step.kind != "order"]
