"""A picture in memory, which notebooks show."""
from __future__ import annotations

import os


class Picture:
    """A PNG: its bytes are `data`."""

    def __init__(self, data: bytes):
        self.data = data

    def save(self, path: str | os.PathLike) -> None:
        """Writes it to a file."""
        with open(path, "wb") as file:
            file.write(self.data)

    def _repr_png_(self) -> bytes:
        return self.data

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels."""
        return int.from_bytes(self.data[16:20], "big"), int.from_bytes(self.data[20:24], "big")

    def __repr__(self) -> str:
        return "<Picture: {} x {} pixels>".format(*self.size)
