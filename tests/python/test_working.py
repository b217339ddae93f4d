"""Long calls: cancel, Ctrl-C, threads, forks, memory."""
import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
import types

import numpy as np
import pytest
import ravine

LONG = "terrain size=256 noise droplets drops=100M"


def test_a_progress_function_can_stop_a_step():
    land = ravine.terrain(size=128).noise()
    asked = []

    def stop(now):
        asked.append(now)
        return len(asked) < 3

    began = time.monotonic()
    with pytest.raises(ravine.Cancelled, match="Stopped in droplets"):
        land.droplets(drops="100M", progress=stop)
    assert len(asked) == 3 and time.monotonic() - began < 20
    assert np.isfinite(land["height"]).all()
    land.thermal()


def test_an_exception_of_a_progress_function_comes_through():
    def fail(now):
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        ravine.run(LONG, progress=fail)
    assert ravine.run("terrain size=8", progress=lambda now: None).shape == (8, 8)


def test_a_progress_function_may_not_use_the_land():
    land = ravine.terrain(size=128).noise()

    def look(now):
        land.hash

    with pytest.raises(RuntimeError, match="at work"):
        land.droplets(drops="100M", progress=look)


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="needs signals")
@pytest.mark.parametrize("handled", [False, True])
def test_ctrl_c_stops_a_run(handled):
    program = textwrap.dedent(
        f"""
        import signal, sys, time, numpy, ravine
        caught = []
        if {handled}:
            signal.signal(signal.SIGINT, lambda number, frame: caught.append(number))
        before = signal.getsignal(signal.SIGINT)
        land = ravine.terrain(size=256).noise()
        print("ready", flush=True)
        try:
            land.droplets(drops="100M")
        except KeyboardInterrupt as error:
            assert not caught and error.__suppress_context__
            print("interrupted")
        except ravine.Cancelled:
            assert caught
            print("cancelled")
        assert signal.getsignal(signal.SIGINT) is before
        assert numpy.isfinite(land["height"]).all()
        print(land.thermal().report["step"])
    """
    )
    child = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert child.stdout.readline() == "ready\n"
    time.sleep(0.3)
    child.send_signal(signal.SIGINT)
    out, errors = child.communicate(timeout=60)
    assert (out, errors, child.returncode) == (
        ("cancelled" if handled else "interrupted") + "\nthermal\n",
        "",
        0,
    )


def test_lands_run_side_by_side():
    expected = ravine.run("terrain size=64 noise seed=5 droplets drops=5k").hash
    found, running = [], []

    def work():
        def note(now):
            running.append(threading.get_ident())

        found.append(
            ravine.run(
                "terrain size=64 noise seed=5 droplets drops=5k", threads=1, progress=note
            ).hash
        )

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 6
    assert len(set(running)) == 6


def test_python_goes_on_while_a_land_is_at_work():
    counts = []
    done = threading.Event()

    def count():
        n = 0
        while not done.is_set():
            n += 1
        counts.append(n)

    other = threading.Thread(target=count)
    other.start()
    ravine.run("terrain size=128 noise droplets drops=50k", threads=1)
    done.set()
    other.join()
    assert counts[0] > 1000


def test_one_land_in_many_threads_waits_its_turn():
    land = ravine.terrain(size=32).noise()
    errors, held = [], []

    def work(seed):
        try:
            for turn in range(10):
                held.append(land["height"])
                land.droplets(drops=50, seed=seed + turn)
                land.hash, repr(land)
                if turn % 3 == 0:
                    held.clear()
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == [] and all(np.isfinite(array).all() for array in held)


def _child(land, out):
    try:
        land.thermal()
        out.put("ran")
    except RuntimeError as error:
        out.put(str(error))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_land_says_so_instead_of_hanging():
    context = multiprocessing.get_context("fork")
    land, out = ravine.terrain(size=32).noise(), context.Queue()
    child = context.Process(target=_child, args=(land, out))
    child.start()
    assert "forked" in out.get(timeout=30)
    child.join(30)
    assert child.exitcode == 0


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="needs /proc")
def test_a_thousand_runs_leak_nothing():
    def some(count):
        for seed in range(count):
            land = ravine.run(
                "terrain size=64 noise octaves=2",
                "blur",
                f"noise.seed={seed}",
                progress=False,
                threads=1,
            )
            view = land["height"]
            land.blur(progress=False)
            land["mask"] = view > 0
            try:
                land.noise(octaves=99)
            except ravine.UsageError:
                pass

    some(100)  # what is kept once for all
    before = resident()
    some(1000)
    grown = resident() - before
    # A run makes five grids of 16 kB: one of them kept a thousand times would be 16 MB.
    assert grown < 4e6, f"{grown / 1e6:.1f} MB more"


class FakeKernel:
    """As much of IPython as the bar asks for."""

    def __init__(self):
        self.shown = []

    def display(self, content, raw, display_id):
        assert raw and display_id
        self.shown.append(content["text/plain"])
        return types.SimpleNamespace(
            update=lambda content, raw: self.shown.append(content["text/plain"])
        )


def test_a_notebook_gets_a_bar(monkeypatch):
    kernel = FakeKernel()
    ipython = types.ModuleType("IPython")
    ipython.get_ipython = lambda: types.SimpleNamespace(kernel=kernel)
    ipython.display = types.ModuleType("IPython.display")
    ipython.display.display = kernel.display
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", ipython.display)
    monkeypatch.setattr("ravine._progress.Bar.WAIT", 0)
    ravine.run("terrain size=128 noise droplets drops=100k")
    assert any("droplets" in line and "%" in line for line in kernel.shown)
    assert kernel.shown[-1] == "", "the bar stays when all is done"
    kernel.shown.clear()
    ravine.run("terrain size=128 noise droplets drops=10k", progress=False)
    assert kernel.shown == []


def test_no_terminal_no_bar(capfd, monkeypatch):
    monkeypatch.setattr("ravine._progress.Bar.WAIT", 0)
    ravine.run("terrain size=64 noise droplets drops=20k", progress=True)
    assert capfd.readouterr() == ("", "")
