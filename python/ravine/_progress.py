"""How far a run is: what a progress function is given, and the bar that is shown without one."""
from __future__ import annotations

import ctypes
import sys
import time

import numpy as np

from ._library import Progress, lib


class Now:
    """How far the running step is. Only for the progress function that it is handed to."""

    __slots__ = ("step", "done", "total", "_land")

    step: str  #: name of the running step
    done: float  #: 0 to 1: of the step
    total: float  #: 0 to 1: of the recipe, where each run of a step counts the same

    def __init__(self, now: Progress, part: tuple[float, float] | None = None):
        self.step, self.done, self.total = now.step.decode(), now.done, now.total
        if part is not None:
            self.total = part[0] + (part[1] - part[0]) * now.done
        self._land = now.land

    def height(self) -> np.ndarray | None:
        """A copy of the heights as they are now; None where the land is not whole at this
        moment."""
        if not self._land:
            return None
        shape = lib.rv_terrain_height(self._land), lib.rv_terrain_width(self._land)
        values = ctypes.cast(
            lib.rv_terrain_field(self._land, b"height"), ctypes.POINTER(ctypes.c_float)
        )
        return np.ctypeslib.as_array(values, shape).copy()

    def __repr__(self) -> str:
        return f"<{self.step}: {self.done:.0%}, in all {self.total:.0%}>"


class Bar:
    """A line of text for calls that take longer than half a second, in a notebook or on a
    terminal."""

    WAIT, EVERY, WIDTH = 0.5, 0.1, 24

    def __init__(self):
        self._next = time.monotonic() + self.WAIT
        self._shown = None

    def __call__(self, now: Now) -> None:
        if time.monotonic() < self._next:
            return
        self._next = time.monotonic() + self.EVERY
        full = round(now.total * self.WIDTH)
        self._show(f"{now.step:10} {'█' * full}{'·' * (self.WIDTH - full)} {now.total:4.0%}")

    def _show(self, line: str) -> None:
        if self._shown is None:
            self._shown = _Notebook.here() or _Terminal.here() or _Nowhere()
        self._shown.show(line)

    def close(self) -> None:
        if self._shown is not None:
            self._shown.show("")


class _Nowhere:
    def show(self, line: str) -> None:
        pass


class _Terminal(_Nowhere):
    @staticmethod
    def here():
        return _Terminal() if sys.stderr is not None and sys.stderr.isatty() else None

    def show(self, line: str) -> None:
        sys.stderr.write(f"\r{line}\x1b[K")
        sys.stderr.flush()


class _Notebook(_Nowhere):
    """A cell output that is written again and again, and is empty in the end."""

    def __init__(self, display):
        self._display, self._handle = display, None

    @staticmethod
    def here():
        ipython = sys.modules.get("IPython")
        shell = ipython.get_ipython() if ipython else None
        # Only a kernel has a front end that can update an output.
        if shell is None or not hasattr(shell, "kernel"):
            return None
        from IPython.display import display

        return _Notebook(display)

    def show(self, line: str) -> None:
        content = {"text/plain": line}
        if self._handle is None:
            self._handle = self._display(content, raw=True, display_id=True)
        else:
            self._handle.update(content, raw=True)
