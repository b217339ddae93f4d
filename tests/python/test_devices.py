"""Devices of OpenCL: the bits of the processor, and what is said of those that are not there."""
import copy

import pytest
import ravine

RECIPE = "terrain size=96 noise seed=3 thermal rounds=20 droplets drops=2k"


def test_what_is_no_device_is_refused():
    for wrong in ("tpu", -1, 1.5, True, None):
        with pytest.raises(ravine.UsageError, match="is neither"):
            ravine.terrain(size=8, device=wrong)
    with pytest.raises(ravine.DeviceError):
        ravine.run(RECIPE, device=len(ravine.devices()) + 1)


def test_auto_is_always_there():
    assert ravine.run(RECIPE, device="auto").hash == ravine.run(RECIPE).hash


def test_every_device_gives_the_same_bits():
    found = ravine.devices()
    if not found:
        pytest.skip("there is no device of OpenCL here")
    truth = ravine.run(RECIPE).hash
    for device in found:
        assert device.name and device.memory > 0
        try:
            land = ravine.terrain(size=96, device=device.number)
        except ravine.DeviceError as error:
            assert "bits" in str(error)  # a device may have others, and is not used
            continue
        assert ravine.run(RECIPE, device=device.number).hash == truth
        assert ravine.Recipe(RECIPE).run(device=device.number).hash == truth
        land.noise(seed=3).thermal(rounds=20)
        assert copy.copy(land).droplets(drops="2k").hash == truth
        again = ravine.Land(land["height"], cell=land.cell, device=device.number)
        assert again.blur().hash == ravine.Land(land["height"], cell=land.cell).blur().hash


def test_a_run_on_a_device_goes_on_there(tmp_path):
    if not ravine.devices():
        pytest.skip("there is no device of OpenCL here")
    recipe = "terrain size=96 noise seed=3 repeat 6 thermal rounds=20 droplets drops=2k end"
    path = tmp_path / "run.checkpoint"
    with pytest.raises(ravine.Cancelled):
        ravine.run(recipe, device=1, checkpoint=path, every=0, progress=lambda now: now.total < 0.5)
    assert path.exists()
    assert ravine.resume(path, device=1).hash == ravine.run(recipe).hash
