"""A context of the library and what was made with it: who may use it when, and when it is
destroyed.

A context and its objects belong to one thread at a time, but Python may drop an object on any
thread, even while the context is at work. Objects that were dropped therefore wait in a list until
the context is idle.
"""
from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
import weakref
from collections import deque
from contextlib import contextmanager
from typing import Callable, Optional, Union

from ._devices import DeviceLike, number_of
from ._library import (
    CANCELLED,
    EXCEPTIONS,
    LOG_FN,
    OK,
    PROGRESS_FN,
    VERSION,
    Cancelled,
    ContextDesc,
    InternalError,
    lib,
)
from ._progress import Bar, Now
from ._table import abi

ProgressLike = Union[None, bool, Callable[[Now], Optional[bool]]]


class Context:
    def __init__(self, threads: int = 0, memory_limit: int = 0, device: DeviceLike = "cpu"):
        self._closed = True  # until it is open
        number = number_of(device)
        self._lock = threading.Lock()
        self._owner: int | None = None  # the thread that is at work
        self._process = os.getpid()
        self._dropped: deque = deque()
        self._live = 0
        self._show: Callable[[Now], object] | None = None
        self._stop = False
        self._raised: BaseException | None = None
        self.messages: list[str] = []
        # From where to where, 0 to 1, the call goes in what the user asked for; None: it says so
        # itself.
        self.part: tuple[float, float] | None = None
        # The library keeps these functions: so must we. They know no strong self, or the context
        # would live on.
        self._callbacks = _callbacks_of(self)
        desc = ContextDesc(
            threads=threads,
            memory_limit=memory_limit,
            log=self._callbacks[0],
            progress=self._callbacks[1],
        )
        self.pointer = ctypes.c_void_p()
        status = lib.rv_context_open(abi, ctypes.byref(desc), ctypes.byref(self.pointer))
        if status != OK:
            raise EXCEPTIONS[status](
                "The library is of another version than the package: install it again."
                if status == VERSION
                else "There is not enough memory to begin."
            )
        self._closed = False
        if number != 0:
            with self.idle() as ctx:
                self.check(lib.rv_context_use_device(ctx, number))

    # ---- calls ----

    @contextmanager
    def idle(self):
        """Waits until no other thread is at work here, and keeps them out: yields the C context."""
        me = threading.get_ident()
        if self._owner == me:
            raise RuntimeError(
                "It is at work: a progress function may look only at what it is given."
            )
        if self._process != os.getpid():
            raise RuntimeError(
                "It was made before this process was forked, and its threads stayed behind: "
                "make it here, or hand it over with pickle."
            )
        try:
            with self._lock:
                self._owner = me
                try:
                    yield self.pointer
                finally:
                    self._owner = None
        finally:
            self._destroy_dropped()

    @contextmanager
    def working(self, progress: ProgressLike = None):
        """As idle(), for calls that may take long: with progress, and Ctrl-C stops them. The body
        calls check() for each."""
        with self.idle() as pointer:
            self._stop, self._raised, self.messages, self.part = False, None, [], None
            bar = Bar() if progress is None or progress is True else None
            self._show = bar if bar else progress or None
            lib.rv_context_progress_land(pointer, callable(progress))  # a bar looks at none
            interrupts = _Interrupts(self)
            stopped: Cancelled | None = None
            try:
                yield pointer
            except Cancelled as error:
                stopped = error
            finally:
                self._show = None
                if bar:
                    bar.close()
                interrupts.end()  # may raise KeyboardInterrupt
            if stopped is not None:
                raise stopped

    def check(self, status: int) -> None:
        """Raises what a status stands for."""
        if status == OK:
            return
        raised, self._raised = self._raised, None
        if status == CANCELLED and raised is not None:
            raise raised
        sentence = lib.rv_context_error(self.pointer).decode(errors="replace")
        raise EXCEPTIONS.get(status, InternalError)(sentence)

    def stop(self) -> None:
        """Ends the running call as soon as it asks."""
        self._stop = True

    # ---- callbacks, on the thread that called ----

    def _asked(self, now) -> bool:
        """The library asks whether to go on."""
        try:
            if self._stop:
                return False
            if self._show is not None:
                shown = Now(now, self.part)
                try:
                    if self._show(shown) is False:
                        return False
                finally:
                    shown._land = None  # it is the library's, and changes from here on
            return not self._stop
        except BaseException as error:  # it cannot pass through C: check() raises it
            self._raised = error
            return False

    # ---- objects ----

    def adopt(self, pointer: ctypes.c_void_p, destroy) -> "Handle":
        return Handle(self, pointer, destroy)

    def _destroy_dropped(self) -> None:
        if sys.is_finalizing() or self._process != os.getpid():
            return  # the process ends, or the threads stayed behind in another one
        while (self._dropped or self._closed) and self._lock.acquire(blocking=False):
            try:
                while self._dropped:
                    destroy, pointer = self._dropped.popleft()
                    destroy(pointer)
                    self._live -= 1
                if self._closed and self._live == 0 and self.pointer:
                    lib.rv_context_destroy(self.pointer)
                    self.pointer = ctypes.c_void_p()
            finally:
                self._lock.release()
            if self._closed and not self._dropped:
                return

    def __del__(self):
        if not self._closed:
            self._closed = True
            self._destroy_dropped()


class Handle:
    """One C object. It is destroyed when nothing refers to the handle any more."""

    __slots__ = ("context", "pointer", "_destroy", "__weakref__")

    def __init__(self, context: Context, pointer: ctypes.c_void_p, destroy):
        self.context, self.pointer, self._destroy = context, pointer, destroy
        context._live += 1

    def __del__(self):
        self.context._dropped.append((self._destroy, self.pointer))
        self.context._destroy_dropped()


def _callbacks_of(context: Context):
    where = weakref.ref(context)

    @LOG_FN
    def log(user, line):
        it = where()
        if it is not None:
            it.messages.append(line.decode(errors="replace"))

    @PROGRESS_FN
    def progress(user, now):
        it = where()
        return it is None or it._asked(now.contents)

    return log, progress


class _Interrupts:
    """Lets Ctrl-C stop a call: instead of raising KeyboardInterrupt in the midst of a callback, the
    handler leaves a note there; end() then gives the signal to the handler that was there
    before."""

    def __init__(self, context: Context):
        self._before, self._caught = None, False
        if threading.current_thread() is not threading.main_thread():
            return
        before = signal.getsignal(signal.SIGINT)
        if not callable(before):  # nobody waits for it, or not in Python
            return

        def note(number, frame):
            self._caught = context._stop = True

        signal.signal(signal.SIGINT, note)
        self._before = before

    def end(self) -> None:
        if self._before is None:
            return
        before, self._before = self._before, None
        signal.signal(signal.SIGINT, before)
        if not self._caught:
            return
        try:
            before(signal.SIGINT, sys._getframe())
        except BaseException as error:  # KeyboardInterrupt; that the call was cancelled is no news
            raise error from None


def encoded(text: str | os.PathLike) -> bytes:
    """A text or path as C has it."""
    data = os.fsencode(text)
    if b"\0" in data:
        raise ValueError("A text for Ravine cannot hold a zero byte.")
    return data
