"""Recipes: words to steps, and their runs."""
from __future__ import annotations

import ctypes
import os

from ._context import Context, Handle, ProgressLike, encoded
from ._devices import DeviceLike
from ._land import Land, _numbers
from ._library import AFTER_FN, BEFORE_FN, Plan, Report, Watch, lib, printed
from ._table import values_of


def c_words(words: tuple[str, ...]):
    """A list of texts as C has it."""
    return len(words), (ctypes.c_char_p * len(words))(*[encoded(word) for word in words])


class Recipe:
    """Steps in words: a text, or the path of a file. Further words change it as on the command
    line.

    Recipe("terrain size=256 noise seed=7 droplets")
    Recipe("recipes/alps.rv", "noise.seed=4", "terrain.size=128")
    """

    def __init__(self, source: str | os.PathLike, *words: str):
        self._source, self._words = source, words
        self._context = Context(threads=1)
        self._handle = self._read(self._context)

    def _read(self, context: Context) -> Handle:
        source, out = self._source, ctypes.c_void_p()
        with context.idle() as ctx:
            if isinstance(source, os.PathLike) or source.endswith(".rv"):
                context.check(lib.rv_recipe_load(ctx, encoded(source), ctypes.byref(out)))
            else:
                context.check(
                    lib.rv_recipe_parse(ctx, encoded(source), b"the recipe", ctypes.byref(out))
                )
            handle = context.adopt(out, lib.rv_recipe_destroy)
            context.check(lib.rv_recipe_add_words(out, *c_words(self._words)))
        return handle

    def __len__(self) -> int:
        return lib.rv_recipe_count(self._handle.pointer)

    @property
    def steps(self) -> list[tuple[str, dict]]:
        """Name and parameters of each step."""
        recipe = self._handle.pointer
        found = []
        for index in range(len(self)):
            word = lib.rv_step_get(lib.rv_recipe_step(recipe, index)).contents.word
            found.append((word.name.decode(), values_of(word, lib.rv_recipe_params(recipe, index))))
        return found

    def plan(self) -> list[dict]:
        """What a run would need, without running it: size after each step, and its memory in
        bytes."""
        plans = (Plan * max(len(self), 1))()
        with self._context.idle():
            self._context.check(lib.rv_recipe_plan(self._handle.pointer, plans))
        return [
            {
                "step": lib.rv_step_name(plan.step).decode(),
                "shape": (plan.height, plan.width),
                "cell": plan.cell,
                "memory": plan.memory,
            }
            for plan in plans[: len(self)]
        ]

    def run(
        self,
        *,
        progress: ProgressLike = None,
        threads: int = 0,
        memory_limit: int = 0,
        device: DeviceLike = "cpu",
        checkpoint: str | os.PathLike | None = None,
        every: float = 60.0,
    ) -> Land:
        """Runs all steps and returns the land. checkpoint: a file to save the run to every so many
        seconds, from which resume() goes on after a stop."""
        context = Context(threads, memory_limit, device)
        handle = self._read(context)
        return _run(
            context,
            progress,
            checkpoint,
            every,
            lambda ctx, watch, out: lib.rv_recipe_run(handle.pointer, watch, out),
        )

    def __str__(self) -> str:
        return printed(lib.rv_recipe_print, self._handle.pointer) or ""

    def __repr__(self) -> str:
        return f"<Recipe: {' '.join(name for name, _ in self.steps)}>"


class _Reports:
    """What each step of a recipe did, all its turns together."""

    def __init__(self, context: Context):
        self.of: dict[int, dict] = {}
        self._context, self._said = context, 0

    def add(self, index: int, report: Report) -> None:
        new = {"step": lib.rv_step_name(report.step).decode(), "turns": 1, **_numbers(report)}
        new.update(
            seconds=report.seconds,
            hash=f"{report.hash:016x}",
            messages=self._context.messages[self._said :],
        )
        self._said = len(self._context.messages)
        old = self.of.setdefault(index, new)
        if old is new:
            return
        for key in ("turns", "drop_steps", "seconds", "messages"):
            old[key] += new[key]
        # What one turn left in the water and the next found there is neither at the beginning nor
        # at the end.
        for book, left in (("ledger", "suspended"), ("water", "standing")):
            between = new[book].pop("before")
            for key, value in new[book].items():
                old[book][key] += value
            old[book][left] -= between
        old["hash"] = new["hash"]


def _run(context: Context, progress: ProgressLike, checkpoint, every: float, call) -> Land:
    reports, out = _Reports(context), ctypes.c_void_p()

    @AFTER_FN
    def after(user, index, report):
        reports.add(index, report.contents)

    path = None if checkpoint is None else encoded(checkpoint)
    watch = Watch(before=BEFORE_FN(), after=after, checkpoint=path, every=every)
    with context.working(progress) as ctx:
        context.check(call(ctx, ctypes.byref(watch), ctypes.byref(out)))
        land = Land._of(context, context.adopt(out, lib.rv_terrain_destroy))
        land._note_figures()
    land._reports = [reports.of[index] for index in sorted(reports.of)]
    land._report = land._reports[-1] if land._reports else {}
    return land


def run(
    recipe: str | os.PathLike,
    *words: str,
    progress: ProgressLike = None,
    threads: int = 0,
    memory_limit: int = 0,
    device: DeviceLike = "cpu",
    checkpoint: str | os.PathLike | None = None,
    every: float = 60.0,
) -> Land:
    """Runs a recipe and returns its land: Recipe(recipe, *words).run(...).

        ravine.run("terrain size=256 noise seed=7 droplets")
        ravine.run("recipes/alps.rv", "noise.seed=4")

    progress: None shows a bar in notebooks and terminals when it takes long, False shows none; or a
    function, which is called at least every 100 ms with how far the run is, and stops it by
    returning False.
    """
    return Recipe(recipe, *words).run(
        progress=progress,
        threads=threads,
        memory_limit=memory_limit,
        device=device,
        checkpoint=checkpoint,
        every=every,
    )


def resume(
    checkpoint: str | os.PathLike,
    *,
    progress: ProgressLike = None,
    threads: int = 0,
    memory_limit: int = 0,
    device: DeviceLike = "cpu",
    every: float = 60.0,
) -> Land:
    """Goes on from a checkpoint; ends in the same bytes as a run that was never stopped."""
    context = Context(threads, memory_limit, device)
    path = encoded(checkpoint)
    return _run(
        context,
        progress,
        checkpoint,
        every,
        lambda ctx, watch, out: lib.rv_recipe_resume(ctx, path, watch, out),
    )
