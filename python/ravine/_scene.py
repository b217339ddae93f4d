"""Scenes: water that wears closed meshes."""
from __future__ import annotations

import ctypes
import os
import tempfile

import numpy as np

from ._context import Context, ProgressLike, encoded
from ._library import (
    FRAME_FN,
    Frame,
    FrameTimes,
    Ledger,
    Particles,
    SceneWatch,
    as_dict,
    lib,
    printed,
)
from ._mesh import Mesh
from ._picture import Picture
from ._recipe import c_words
from ._table import presets


class Scene:
    """Water made of particles that flows over, under and through closed meshes and erodes them.

    scene = ravine.Scene("cave", "frames=60")    # a preset (ravine.presets), a file, or words
    scene.step(20)                               # frame by frame, or scene.run()
    # to its last frame, with the files its run word names scene.mesh().points
    """

    def __init__(
        self, source: str | os.PathLike, *words: str, threads: int = 0, memory_limit: int = 0
    ):
        context, out = Context(threads, memory_limit), ctypes.c_void_p()
        with context.idle() as ctx:
            if isinstance(source, str) and source in presets:
                status = lib.rv_scene_create(ctx, encoded(source), ctypes.byref(out))
            elif isinstance(source, os.PathLike) or os.path.exists(source):
                status = lib.rv_scene_load(ctx, encoded(source), ctypes.byref(out))
            else:
                status = lib.rv_scene_parse(ctx, encoded(source), b"the scene", ctypes.byref(out))
            context.check(status)
            self._begin(context, out)
            context.check(lib.rv_scene_add_words(out, *c_words(words)))

    def _begin(self, context: Context, pointer: ctypes.c_void_p) -> None:
        self._context, self._handle = context, context.adopt(pointer, lib.rv_scene_destroy)

    @classmethod
    def resume(
        cls, checkpoint: str | os.PathLike, *, threads: int = 0, memory_limit: int = 0
    ) -> "Scene":
        """A scene as save() left it; what follows is the same to the byte."""
        context, out = Context(threads, memory_limit), ctypes.c_void_p()
        scene = cls.__new__(cls)
        with context.working() as ctx:
            context.check(lib.rv_scene_resume(ctx, encoded(checkpoint), ctypes.byref(out)))
            scene._begin(context, out)
        return scene

    def save(self, checkpoint: str | os.PathLike) -> None:
        """Saves all that the next frames depend on."""
        with self._context.working():
            self._context.check(lib.rv_scene_save(self._handle.pointer, encoded(checkpoint)))

    def step(self, frames: int = 1, *, progress: ProgressLike = None) -> "Scene":
        """So many frames: each a step of the water, then one of the wear."""
        with self._context.working(progress):
            self._context.check(lib.rv_scene_start(self._handle.pointer))
            for frame in range(frames):
                self._context.part = frame / frames, (frame + 1) / frames
                self._context.check(lib.rv_scene_step(self._handle.pointer))
        return self

    def run(
        self,
        *,
        progress: ProgressLike = None,
        after=None,
        checkpoint: str | os.PathLike | None = None,
        every: float = 60.0,
    ) -> "Scene":
        """Runs to the last frame and saves, draws and films what the run word says. after: a
        function that gets the frame as a dict, for frame 0 and as `every` of the run word says."""
        raised: list[BaseException] = []

        @FRAME_FN
        def tell(user, frame):
            try:
                if after is not None and not raised:
                    after(_frame(frame.contents))
            except BaseException as error:  # it cannot pass through C
                raised.append(error)
                self._context.stop()

        path = None if checkpoint is None else encoded(checkpoint)
        watch = SceneWatch(after=tell, checkpoint=path, every=every)
        with self._context.working(progress):
            status = lib.rv_scene_run(self._handle.pointer, ctypes.byref(watch))
            if raised:
                raise raised[0]
            self._context.check(status)
        return self

    @property
    def frame(self) -> dict:
        """Where the scene stands: frame, time, particles, vertices, faces, ledger, volume, hash
        ..."""
        found = Frame()
        with self._context.working(False):
            self._context.check(lib.rv_scene_start(self._handle.pointer))
            self._context.check(lib.rv_scene_info(self._handle.pointer, ctypes.byref(found)))
        return _frame(found)

    @property
    def hash(self) -> str:
        """Of rock and water, as the program prints it."""
        return self.frame["hash"]

    @property
    def materials(self) -> dict[str, dict[str, float]]:
        """The materials of the rock, and what particles took from each and laid on it."""
        with self._context.idle():
            scene = self._handle.pointer
            return {
                lib.rv_scene_material_name(scene, index).decode(): as_dict(
                    lib.rv_scene_material_ledger(scene, index)
                )
                for index in range(lib.rv_scene_material_count(scene))
            }

    def mesh(self) -> Mesh | None:
        """A copy of the rock; None: there is none."""
        out = ctypes.c_void_p()
        with self._context.working():
            self._context.check(lib.rv_scene_start(self._handle.pointer))
            self._context.check(lib.rv_scene_mesh(self._handle.pointer, ctypes.byref(out)))
            if not out:
                return None
            return Mesh._of(self._context, self._context.adopt(out, lib.rv_mesh_destroy))

    @property
    def particles(self) -> dict[str, np.ndarray]:
        """The water: positions in m, velocities in m/s, sediments in m3, and ids that stay with a
        particle."""
        found = Particles()
        with self._context.working(False):
            self._context.check(lib.rv_scene_start(self._handle.pointer))
            self._context.check(lib.rv_scene_particles(self._handle.pointer, ctypes.byref(found)))
            return {
                "positions": _rows(found.positions, found.count)[:, :3].astype(np.float64)
                + found.origin[:],
                "velocities": _rows(found.velocities, found.count)[:, :3].copy(),
                "sediments": _rows(found.sediments, found.count, 1)[:, 0].copy(),
                "ids": _rows(found.ids, found.count, 1)[:, 0].copy(),
            }

    def picture(self) -> Picture:
        """A picture as the run word says. A notebook shows it."""
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "picture.png")
            with self._context.working():
                self._context.check(lib.rv_scene_start(self._handle.pointer))
                self._context.check(lib.rv_scene_picture(self._handle.pointer, encoded(file)))
            with open(file, "rb") as picture:
                return Picture(picture.read())

    def _repr_png_(self) -> bytes:
        return self.picture().data

    def __str__(self) -> str:
        with self._context.idle():
            return printed(lib.rv_scene_print, self._handle.pointer) or ""

    def __repr__(self) -> str:
        text = "<Scene: frame {frame} of {frames}, {particles} particles, {faces} faces of rock>"
        return text.format(**self.frame)


def _rows(values, count: int, width: int = 4) -> np.ndarray:
    if count == 0:
        return np.zeros((0, width), dtype=values._type_)
    return np.ctypeslib.as_array(values, (count, width))


def _frame(frame: Frame) -> dict:
    found = as_dict(frame)
    for name, value in found.items():
        if isinstance(value, (Ledger, FrameTimes)):
            found[name] = as_dict(value)
    found["hash"] = f"{frame.hash:016x}"
    return found
