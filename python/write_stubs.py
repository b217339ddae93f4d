"""write_stubs.py PACKAGE: writes _steps.pyi, the steps as editors and type checkers see them, from
the table of the library that lies in the package."""
import sys
import types
from pathlib import Path

HEAD = """# Written by write_stubs.py from the library's table of steps.
import os
from typing import Literal, Optional, Union

from typing_extensions import Self

from ._context import ProgressLike
from ._devices import DeviceLike
from ._land import Land

"""


def kind_of(parameter):
    """The type of a parameter: counts may be texts such as "200k", lengths such as "3cells"."""
    if parameter.type == "choice":
        names = ", ".join(f'"{name}"' for name in parameter.options)
        return f"Literal[{names}]"
    kind = {
        "real": "Union[float, str]" if parameter.in_cells else "float",
        "int": "int",
        "count": "Union[int, str]",
        "seed": "int",
        "switch": "bool",
        "text": "str",
        "file": "Union[str, os.PathLike[str]]",
    }[parameter.type]
    return f"Optional[{kind}]" if parameter.auto else kind


def line_of(parameter, table):
    known = table.parameters.get(parameter.name)
    kinds = {"progress": "ProgressLike", "threads": "int", "memory_limit": "int", "device": "DeviceLike"}
    kind = kind_of(known) if known else kinds[parameter.name]
    default = "" if parameter.default is parameter.empty else f" = {parameter.default!r}"
    return f"{parameter.name}: {kind}{default},"


def function_of(step, steps, indent, result):
    first = [] if step.starts else ["self,"]
    named = [*steps.parameters_of(step), *steps.own_parameters(step)]
    lines = first + [line_of(p, step) for p in named if p.kind is p.POSITIONAL_OR_KEYWORD]
    lines += ["*,"] + [line_of(p, step) for p in named if p.kind is p.KEYWORD_ONLY]
    text = [f"def {step.name}("] + [f"    {line}" for line in lines] + [f") -> {result}:"]
    words = steps.document(step).replace("\\", "\\\\").replace('"""', "'''")
    text += [f"    {line}".rstrip() for line in f'"""{words}\n"""'.splitlines()] + ["    ..."]
    return "".join(f"{indent}{line}".rstrip() + "\n" for line in text)


def stubs(steps):
    names = ", ".join(f'"{step.name}"' for step in steps.STARTS)
    text = HEAD + f"__all__ = [{names}]\n\n"
    for step in steps.STARTS:
        text += function_of(step, steps, "", "Land") + "\n"
    text += 'class Steps:\n    """Every step that changes or shows a land, as a method."""\n\n'
    return text + "\n".join(function_of(step, steps, "    ", "Self") for step in steps.METHODS)


def main(package):
    # The package without its __init__, which would need numpy.
    module = types.ModuleType("ravine")
    module.__path__ = [str(package)]
    sys.modules["ravine"] = module
    from ravine import _signatures

    (package / "_steps.pyi").write_text(stubs(_signatures))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
