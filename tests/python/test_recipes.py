"""Recipes and scenes: the same land as the program's, reports, plans, progress, checkpoints."""
import gc

import numpy as np
import pytest
import ravine

RECIPES = [
    "terrain size=48 noise seed=7 droplets drops=2k",
    "terrain width=40 height=24 cell=5 faults seed=2 thermal talus=25 blur radius=8",
    "terrain size=48 noise layer name=sand thickness=2 runoff rounds=30 flood",
    "terrain size=32 noise strata rivers steps=4 time=200k measure",
    "terrain size=32 noise repeat 3 droplets drops=200 thermal end pipes rounds=5",
    "# a comment\nterrain size=32\ncone  # and another\ncrop margin=3cells\nresize size=40\n",
]


@pytest.mark.parametrize("recipe", RECIPES)
def test_the_program_makes_the_same_land(recipe, program, tmp_path):
    (tmp_path / "land.rv").write_text(recipe)
    lines = program("land.rv")
    land = ravine.run(recipe)
    assert lines[-1]["hash"] == land.hash
    for path in (tmp_path / "land.rv", "land.rv"):
        assert ravine.run(path, threads=3).hash == land.hash
    last = land.reports[-1]
    assert last["hash"] == land.hash and land.report is last


def test_words_change_a_recipe(program, source):
    words = ("terrain.size=24", "noise.seed=4", "thermal")
    text = "terrain size=32 noise"
    assert ravine.run(text, *words).hash == ravine.run("terrain size=24 noise seed=4 thermal").hash
    hills = ravine.Recipe(source / "recipes" / "hills.rv", "noise.seed=9")
    assert {values["seed"] for name, values in hills.steps if name == "noise"} == {9}
    assert len(hills) == len(hills.steps) and "rivers" in repr(hills)
    assert ravine.Recipe(str(hills)).steps == hills.steps
    with pytest.raises(ravine.UsageError, match='did you mean "noise"?'):
        ravine.Recipe("terrain nois")
    with pytest.raises(ravine.UsageError, match="line 2"):
        ravine.Recipe("terrain\nnoise seed=x")
    with pytest.raises(ravine.InputError, match="nothing.rv"):
        ravine.run("nothing.rv")


def test_reports_tell_what_each_step_did(program):
    recipe = "terrain size=32 noise repeat 3 droplets drops=200 end save land.npy"
    land = ravine.run(recipe)
    assert [report["step"] for report in land.reports] == ["terrain", "noise", "droplets", "save"]
    drops = land.reports[2]
    assert drops["turns"] == 3
    book = drops["ledger"]
    assert book == pytest.approx(land.ledger)
    assert book["before"] + book["eroded"] == pytest.approx(
        book["deposited"] + book["left_map"] + book["suspended"], rel=1e-6
    )
    told = [line for line in program(*recipe.split()) if line.get("step") == "droplets"]
    assert sum(line["ledger"]["eroded"] for line in told) == pytest.approx(book["eroded"])
    assert any("land.npy" in line for line in land.reports[3]["messages"])
    water = ravine.run("terrain size=32 noise repeat 2 pipes rounds=5 end").reports[-1]["water"]
    assert water["before"] + water["rained"] == pytest.approx(
        water["evaporated"] + water["left_map"] + water["standing"], rel=1e-5
    )


def test_a_plan_costs_no_run():
    plan = ravine.Recipe("terrain size=4096 noise crop margin=48cells droplets").plan()
    assert [step["step"] for step in plan] == ["terrain", "noise", "crop", "droplets"]
    assert plan[-1]["shape"] == (4000, 4000) and plan[-1]["memory"] > 4000 * 4000 * 4
    with pytest.raises(ravine.InputError, match="missing.png"):
        ravine.Recipe("open missing.png").plan()


def test_a_run_can_be_stopped_and_resumed(tmp_path):
    recipe = "terrain size=64 noise repeat 6 droplets drops=2k end thermal"
    whole = ravine.run(recipe)
    turns = []

    def stop_late(now):
        turns.append(now.total)
        return now.total < 0.5

    with pytest.raises(ravine.Cancelled, match="Stopped in"):
        ravine.run(recipe, progress=stop_late, checkpoint=tmp_path / "run.save", every=0)
    assert (tmp_path / "run.save").exists()
    assert ravine.resume(tmp_path / "run.save").hash == whole.hash
    with pytest.raises(ravine.Error):
        ravine.resume(tmp_path / "nothing.save")


def test_progress_shows_the_land():
    seen, heights = [], []

    def look(now):
        seen.append((now.step, now.done, now.total))
        if now.height() is not None:
            heights.append(now.height())

    land = ravine.run("terrain size=128 noise droplets drops=100k", progress=look)
    assert {step for step, _, _ in seen} <= {"terrain", "noise", "droplets"}
    assert all(0 <= done <= 1 and 0 <= total <= 1 for _, done, total in seen)
    assert [total for _, _, total in seen] == sorted(total for _, _, total in seen)
    assert heights and heights[0].shape == land.shape and np.isfinite(heights[-1]).all()


def test_a_scene_is_the_programs(program):
    scene = ravine.Scene("river", "frames=4", threads=2)
    assert scene.step(4).frame["frame"] == 4
    assert program("scene", "river", "frames=4")[-1]["hash"] == scene.hash
    frames = []
    again = ravine.Scene("river", "frames=4").run(after=frames.append)
    assert again.hash == scene.hash
    assert [frame["frame"] for frame in frames] == [0, 1, 2, 3, 4] and frames[-1][
        "hash"
    ] == scene.hash
    assert ravine.Scene(str(again)).step(4).hash == scene.hash
    rock, water = scene.mesh(), scene.particles
    now = scene.frame
    assert len(rock.faces) == now["faces"] and rock.faults() == []
    assert len(water["positions"]) == len(water["ids"]) == now["particles"] > 0
    low, high = rock.points.min(axis=0), rock.points.max(axis=0)
    assert (water["positions"][:, 2] > low[2]).all() and (
        water["positions"][:, 2] < high[2] + 1
    ).all()
    assert "rock" in scene.materials and "frame 4" in repr(scene)
    kept = rock.points.copy()
    del scene, again
    gc.collect()
    assert np.array_equal(rock.points, kept)


def test_a_scene_is_saved_and_goes_on():
    scene = ravine.Scene("dam_break", "frames=6").step(2)
    scene.save("scene.save")
    assert ravine.Scene.resume("scene.save").step(2).hash == scene.step(2).hash
    assert scene.mesh() is None, "there is no rock"
    with pytest.raises(ravine.Error, match="caev"):
        ravine.Scene("caev")
    with pytest.raises(ravine.UsageError):
        ravine.Scene("river", "frames=x")

    def fail(frame):
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        ravine.Scene("dam_break", "frames=6").run(after=fail)


def test_a_scene_tells_how_far_it_is():
    totals = []
    ravine.Scene("river").step(60, progress=lambda now: totals.append(now.total))
    assert totals == sorted(totals) and 0.5 < totals[-1] <= 1


def test_a_scene_has_a_picture():
    scene = ravine.Scene("dam_break", "width=60", "height=40")
    assert scene.picture().size == (60, 40) and scene._repr_png_().startswith(b"\x89PNG")
