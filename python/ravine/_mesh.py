"""Triangles in space."""
from __future__ import annotations

import ctypes
import os

import numpy as np

from ._arrays import Lease
from ._context import Context, Handle, encoded
from ._library import FAULT_FN, lib, printed


class Mesh:
    """A mesh of triangles: x is east, y north, z up, in metres; corners go counterclockwise seen
    from outside.

    points and faces are read-only arrays of the mesh's own memory."""

    def __init__(self, path: str | os.PathLike):
        """Reads an .obj file."""
        context, out = Context(threads=1), ctypes.c_void_p()
        with context.working() as ctx:
            context.check(lib.rv_mesh_load(ctx, encoded(path), ctypes.byref(out)))
            self._begin(context, context.adopt(out, lib.rv_mesh_destroy))

    def _begin(self, context: Context, handle: Handle) -> None:
        self._context, self._handle = context, handle
        mesh = handle.pointer
        vertices, faces = lib.rv_mesh_vertex_count(mesh), lib.rv_mesh_face_count(mesh)
        points = Lease(handle, lib.rv_mesh_points(mesh), (vertices, 3), np.float64)
        corners = Lease(handle, lib.rv_mesh_faces(mesh), (faces, 3), np.uint32)
        self.points: np.ndarray = points.array()  #: x, y and z of each vertex
        self.faces: np.ndarray = corners.array()  #: three vertices of each face, counted from 0

    @classmethod
    def _of(cls, context: Context, handle: Handle) -> "Mesh":
        mesh = cls.__new__(cls)
        mesh._begin(context, handle)
        return mesh

    @property
    def volume(self) -> float:
        """Cubic metres, where it is closed."""
        with self._context.idle():
            return lib.rv_mesh_volume(self._handle.pointer)

    def save(self, path: str | os.PathLike) -> None:
        """Writes .obj, .ply, .stl or .glb."""
        with self._context.working():
            self._context.check(lib.rv_mesh_save(self._handle.pointer, encoded(path), None))

    def faults(self) -> list[str]:
        """What keeps it from being the surface of a solid, a sentence each."""
        found: list[str] = []

        @FAULT_FN
        def report(user, fault):
            found.append(printed(lib.rv_fault_print, fault))

        with self._context.working():
            self._context.check(lib.rv_mesh_check(self._handle.pointer, report, None))
        return found

    def __repr__(self) -> str:
        return f"<Mesh: {len(self.points)} vertices, {len(self.faces)} faces>"
