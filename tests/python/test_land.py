"""Land: arrays in and out, whose memory is safe whatever happens to the land."""
import copy
import gc
import pickle
import weakref

import numpy as np
import pytest
import ravine


def hills(size=32):
    return ravine.terrain(size=size).noise(seed=3)


def address(array):
    return array.__array_interface__["data"][0]


def test_heights_go_in_and_out():
    heights = np.arange(12.0).reshape(3, 4)
    land = ravine.Land(heights, cell=2.5)
    assert land.shape == (3, 4) and land.cell == 2.5 and land.fields == ["height"]
    assert land["height"].dtype == np.float32
    assert np.array_equal(land["height"], heights)
    assert np.array_equal(np.asarray(land), heights)
    assert np.asarray(land, dtype=float).dtype == np.float64
    assert land.volume == pytest.approx(heights.sum() * 2.5**2)
    # Any layout of the array, and the same land for all.
    for other in (
        np.asfortranarray(heights),
        heights[::-1, ::-1][::-1, ::-1],
        heights.astype(int),
        heights.tolist(),
    ):
        assert ravine.Land(other, cell=2.5).hash == land.hash


def test_heights_are_of_the_land_and_cannot_be_written():
    land = hills()
    first, second = land["height"], land["height"]
    assert address(first) == address(second), "a copy was made"
    with pytest.raises(ValueError):
        first[0, 0] = 1
    with pytest.raises(ValueError):
        first.flags.writeable = True


def test_bad_heights_get_a_sentence():
    with pytest.raises(ravine.UsageError, match="1 dimensions"):
        ravine.Land([1, 2, 3])
    with pytest.raises(ravine.UsageError, match="at least two cells"):
        ravine.Land([[1]])
    with pytest.raises(ravine.UsageError, match="Cell size"):
        ravine.Land(np.zeros((2, 2)), cell=-1)
    with pytest.raises(ravine.InputError, match="row 1, column 0 is not a number"):
        ravine.Land([[1, 2], [np.nan, 3]])
    with pytest.raises(ravine.UsageError, match="neither"):
        ravine.Land(np.zeros((2, 2)), holes="fill")
    with pytest.raises(TypeError):
        hills()[0]
    with pytest.raises(KeyError, match="it has height"):
        hills()["flwo"]
    with pytest.raises(ValueError):
        hills()["mask"] = np.zeros((3, 3))
    with pytest.raises(ravine.UsageError, match="no name for a field"):
        hills()["a b"] = 0


def test_holes_are_kept():
    heights = np.full((5, 5), 7.0)
    heights[2, 2] = np.nan
    land = ravine.Land(heights, cell=3, holes="keep")
    assert land.cell == 3 and land["hole"].sum() == 1 and land["hole"][2, 2] == 1
    assert (land["height"] == 7).all()
    assert "hole" not in ravine.Land(np.zeros((5, 5)), holes="keep")


def test_arrays_stay_what_they_were_while_the_land_changes():
    land = hills()
    before = land["height"]
    kept = before.copy()
    part = before[3:9, ::2]
    kept_part = part.copy()
    land.droplets(drops=500)
    assert np.array_equal(before, kept) and np.array_equal(part, kept_part)
    assert not np.array_equal(land["height"], kept)
    # Only the slice is left: still the same.
    del before
    gc.collect()
    land.crop(margin="4cells").resize(size=64).blur()
    land["height"] = 5
    assert np.array_equal(part, kept_part)
    # And after the land and everything else of it is gone.
    del land
    gc.collect()
    other = [hills(64) for _ in range(5)]
    assert np.array_equal(part, kept_part) and len(other) == 5


def test_steps_work_in_place_when_no_array_is_in_use():
    land = hills()
    where = address(land["height"])
    land["mask"] = 1
    assert address(land["height"]) == where, "the land was copied though nobody looked"
    held = land["height"]
    land["mask"] = 0.5
    assert address(land["height"]) != where and address(held) == where
    # What only shows leaves the land where it is.
    where = address(land["height"])
    held = land["height"]
    land.measure().hillshade("land.png").save("land.npy")
    assert address(land["height"]) == where


def test_layers_are_arrays_too():
    land = hills().layer(name="sand", thickness=3)
    bedrock, sand = land.layers
    assert (bedrock["name"], sand["name"]) == ("bedrock", "sand")
    assert np.allclose(bedrock["thickness"] + sand["thickness"], land["height"])
    kept = sand["thickness"].copy()
    land.droplets(drops=2000)
    assert np.array_equal(sand["thickness"], kept)
    assert land.layers[1]["eroded"] > 0
    land.add_layer("snow", np.ones((32, 32)), talus=40, colour=0xFFFFFFFF)
    assert [layer["name"] for layer in land.layers] == ["bedrock", "sand", "snow"]
    assert land.layers[2]["colour"] == 0xFFFFFFFF
    with pytest.raises(ravine.Error, match="snow"):
        land.add_layer("snow", 1)


def test_the_ledger_adds_up():
    land = hills(64).droplets(drops=5000).thermal(talus=30)
    book = land.ledger
    assert book["eroded"] > 0
    assert book["eroded"] == pytest.approx(
        book["deposited"] + book["left_map"] + book["suspended"], rel=1e-6
    )
    assert land.report["step"] == "thermal" and land.report["ledger"]["eroded"] <= book["eroded"]


def test_what_measure_finds_is_a_dict():
    land = ravine.run("terrain size=64 noise seed=2 rivers time=1M steps=10 measure")
    assert set(land.checks) < set(land.figures) and len(land.checks) == 5
    assert land.figures["river_checks_passed"] == sum(land.checks.values())
    assert land.figures["relief"] == pytest.approx(np.ptp(land["height"]), rel=1e-6)
    hard = hills()
    with pytest.raises(ravine.UnmetError, match="river"):
        hard.measure(require="river_checks:5")
    assert hard.figures and not all(
        hard.checks.values()
    ), "what was found out is there all the same"


def test_copies_are_the_same_and_live_alone():
    land = hills().strata().droplets(drops=300)
    for twin in (land.copy(), copy.copy(land), copy.deepcopy(land)):
        assert twin.hash == land.hash and twin.ledger == land.ledger
        twin.thermal(talus=10)
        assert twin.hash != land.hash


def test_pickling_keeps_the_bits():
    land = hills().layer(name="sand", thickness=3).droplets(drops=500)
    land["hardness"] = np.linspace(0, 1, 32)
    assert pickle.loads(pickle.dumps(land)).hash == land.hash
    with pytest.raises(TypeError, match="strata"):
        pickle.dumps(hills().strata())


def test_nothing_refers_to_a_dropped_land():
    land = hills()
    gone = weakref.ref(land)
    del land
    assert gone() is None, "only the collector of cycles could free it"


def test_a_cycle_is_freed():
    land = hills()
    land.me = land
    land.array = land["height"]
    gone = weakref.ref(land)
    del land
    gc.collect()
    assert gone() is None


def test_pictures_and_meshes(tmp_path):
    land = hills()
    assert land._repr_png_().startswith(b"\x89PNG")
    picture = land.picture("paint", field="height")
    assert picture.size == (32, 32) and "32 x 32" in repr(picture)
    picture.save("paint.png")
    assert (tmp_path / "paint.png").read_bytes() == picture.data == picture._repr_png_()
    with pytest.raises(ravine.UsageError, match="no picture"):
        land.picture("blur")
    block = land.mesh(depth=10)
    assert block.points.shape[1] == block.faces.shape[1] == 3 and block.faults() == []
    assert block.volume > 0 and int(block.faces.max()) == len(block.points) - 1
    points, kept = block.points, block.points.copy()
    block.save("block.obj")
    again = ravine.Mesh("block.obj")
    assert len(again.faces) == len(block.faces)
    del block, land
    gc.collect()
    assert np.array_equal(points, kept)
    assert len(ravine.terrain(size=4).mesh().faults()) > 0, "a surface is open"
    with pytest.raises(ravine.InputError, match="nothing.obj"):
        ravine.Mesh("nothing.obj")


def test_it_says_what_it_is():
    text = repr(hills())
    assert "32 rows" in text and "hash" in text
