"""The steps as methods and functions, made from the library's table when the package is imported.
(What they look like to an editor or a type checker stands in _steps.pyi, which the build
writes.)"""
from __future__ import annotations

import inspect

from ._context import Context
from ._signatures import METHODS, STARTS, document, own_parameters, parameters_of
from ._table import Step


def _values(step: Step, first: tuple, named: dict) -> dict:
    """What was given, by name; wrong names are left to the library, which says the nearest right
    one."""
    can = [p.name for p in parameters_of(step) if p.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]
    if len(first) > len(can):
        raise TypeError(f"{step.name}() takes its parameters by name: {step.name}(KEY=VALUE)")
    for name, value in zip(can, first):
        if name in named:
            raise TypeError(f"{step.name}() got {name} twice")
        named[name] = value
    texts = ("text", "file")
    return {
        name: value
        for name, value in named.items()
        if not (value is None and name in step.parameters and step.parameters[name].type in texts)
    }


def _method(step: Step):
    def run(self, *first, progress=None, **named):
        return self._step(step.name, _values(step, first, named), progress)

    own = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
    return _dressed(run, step, [own, *parameters_of(step), *own_parameters(step)])


def _function(step: Step):
    def run(*first, progress=None, threads=0, memory_limit=0, device="cpu", **named):
        from ._land import Land

        values = _values(step, first, named)
        land = Land.__new__(Land)
        land._begin(Context(threads, memory_limit, device))
        land._start()
        return land._step(step.name, values, progress)

    return _dressed(run, step, [*parameters_of(step), *own_parameters(step)])


def _dressed(run, step: Step, parameters: list[inspect.Parameter]):
    run.__name__ = step.name
    run.__qualname__ = step.name if step.starts else f"Land.{step.name}"
    run.__doc__ = document(step)
    run.__signature__ = inspect.Signature(parameters)
    return run


class Steps:
    """Every step that changes or shows a land, as a method."""


__all__ = [step.name for step in STARTS]
for _step in STARTS:
    globals()[_step.name] = _function(_step)
for _step in METHODS:
    setattr(Steps, _step.name, _method(_step))
