"""Arrays of the library's own memory."""
from __future__ import annotations

import numpy as np

from ._context import Handle


class Lease:
    """What such an array holds on to: as long as it lives, so does the object whose memory it is."""

    __slots__ = ("__array_interface__", "_handle", "__weakref__")

    def __init__(self, handle: Handle, address: int | None, shape: tuple[int, int], dtype):
        self._handle = handle
        self.__array_interface__ = {
            "version": 3,
            "typestr": np.dtype(dtype).str,
            "shape": shape,
            "data": (address or 0, True),  # read-only
        }

    def array(self) -> np.ndarray:
        return np.asarray(self)
