"""Every step is a method with the table's own parameters; the program makes the same bits with
them."""
import inspect
import json
import os
import random
import subprocess

import numpy as np
import pytest
import ravine
from ravine._signatures import METHODS, STARTS, text_of

SHORT = {
    "droplets": {"drops": 300},
    "runoff": {"rounds": 20},
    "particles": {"drops": 300},
    "pipes": {"rounds": 5},
    "rivers": {"steps": 2},
}


def values_for(step):
    """What must be given, and less work where the defaults are long."""
    values = {
        name: value for name, value in SHORT.get(step.name, {}).items() if name in step.parameters
    }
    for parameter in step.parameters.values():
        if parameter.required:
            values[parameter.name] = "made.png"
    return values


def test_the_table_is_the_programs(program):
    table = json.loads(
        subprocess.run(
            [os.environ["RAVINE"], "help", "--json"], check=True, capture_output=True
        ).stdout
    )
    assert [step["name"] for step in table["steps"]] == list(ravine.steps)
    for step in table["steps"]:
        mine = ravine.steps[step["name"]]
        assert (mine.kind, mine.sentence, mine.source) == (
            step["kind"],
            step["sentence"],
            step["source"],
        )
        assert mine.resizes == step["resizes"]
        assert (list(mine.reads), list(mine.writes)) == (step["reads"], step["writes"])
        assert list(mine.parameters) == [parameter["name"] for parameter in step["parameters"]]
        for parameter in step["parameters"]:
            same_parameter(mine.parameters[parameter["name"]], parameter)
    assert ravine.kinds == {kind["name"]: kind["text"] for kind in table["kinds"]}
    assert list(ravine.fields) == [field["name"] for field in table["fields"]]
    assert list(ravine.scene_words) == [word["name"] for word in table["scene_words"]]
    for word in table["scene_words"]:
        for parameter in word["parameters"]:
            same_parameter(
                ravine.scene_words[word["name"]].parameters[parameter["name"]], parameter
            )


def same_parameter(mine, parameter):
    default = None if parameter["default"] == "auto" else parameter["default"]
    if parameter["type"] == "vector" and default is not None:
        assert mine.default == pytest.approx(default)
    elif parameter["type"] == "real" and default is not None:
        assert mine.default == pytest.approx(default, rel=1e-6)
    else:
        assert mine.default == default
    assert (mine.type, mine.auto, mine.required) == (
        parameter["type"],
        parameter["auto"],
        parameter["required"],
    )
    assert (mine.unit, mine.help) == (parameter["unit"], parameter["help"])
    if mine.low is not None:
        assert (mine.low, mine.high) == pytest.approx((parameter["min"], parameter["max"]))
    assert mine.options == {o["name"]: o["help"] for o in parameter.get("options", [])}


@pytest.mark.parametrize("step", METHODS, ids=lambda step: step.name)
def test_every_step_can_be_called(step, program):
    values = values_for(step)
    land = getattr(ravine.terrain(size=24).noise(), step.name)(**values)
    assert isinstance(land, ravine.Land) and land.report["step"] == step.name
    words = [f"{key}={text_of(value)}" for key, value in values.items()]
    assert program("terrain", "size=24", "noise", step.name, *words)[-1]["hash"] == land.hash


def test_land_begins_with_a_function(program):
    assert [step.name for step in STARTS] == ["terrain", "open"]
    assert ravine.terrain(size=8, cell=2).shape == (8, 8)
    land = ravine.terrain(width=20, height=10).noise()
    land.save("land.npy")
    again = ravine.open("land.npy")
    assert again.shape == (10, 20) and np.array_equal(again["height"], land["height"])
    assert program("open", "land.npy")[-1]["hash"] == again.hash
    assert not hasattr(ravine.Land, "repeat") and not hasattr(ravine.Land, "end")
    assert set(ravine._starts) <= set(ravine.__all__)


def test_signatures_and_words():
    for step in METHODS:
        function = getattr(ravine.Land, step.name)
        signature = inspect.signature(function)
        assert list(signature.parameters) == ["self", *step.parameters, "progress"]
        assert function.__doc__.startswith(step.sentence)
        for parameter in step.parameters.values():
            assert f"{parameter.name}: {parameter.help}" in function.__doc__
            assert all(repr(option) in function.__doc__ for option in parameter.options)
    assert inspect.signature(ravine.Land.noise).parameters["shape"].default == "plain"
    assert inspect.signature(ravine.Land.noise).parameters["relief"].default == 600
    assert (
        inspect.signature(ravine.Land.save).parameters["file"].kind
        is inspect.Parameter.POSITIONAL_OR_KEYWORD
    )


def test_values_of_all_kinds(tmp_path):
    land = ravine.terrain(size=16).noise(
        seed=2**64 - 1, relief=np.float32(0.1), octaves=np.int64(3)
    )
    other = ravine.run(f"terrain size=16 noise seed={2**64 - 1} relief=0.1 octaves=3")
    assert land.hash == other.hash
    assert (
        land.copy().droplets(drops=2e2).hash
        == land.copy().droplets("200").hash
        == land.copy().droplets(drops="0.2k").hash
        == land.copy().droplets(drops=np.float64(200)).hash
    )
    land.copy().save(tmp_path / "a file with blanks.png")
    assert (tmp_path / "a file with blanks.png").exists()
    assert land.copy().mask(None, invert=np.True_).hash == land.copy().mask(invert=True).hash
    with pytest.raises(ValueError, match="zero byte"):
        land.save("a\0b.png")


def test_wrong_calls_get_the_librarys_sentence():
    land = ravine.terrain(size=16)
    before = land.hash
    with pytest.raises(
        ravine.UsageError, match='noise has no parameter "relif"; did you mean "relief"?'
    ):
        land.noise(relif=3)
    with pytest.raises(ravine.UsageError, match="shape=rigded is not one of"):
        land.noise(shape="rigded")
    with pytest.raises(ravine.UsageError, match="octaves=17 is not within 1 to 16"):
        land.noise(octaves=17)
    with pytest.raises(ravine.UsageError, match="not a whole number"):
        land.noise(octaves=1.5)
    with pytest.raises(ravine.UsageError, match="relief=auto is not"):
        land.noise(relief=None)
    with pytest.raises(ravine.UsageError, match="relief=nan is not"):
        land.noise(relief=float("nan"))
    with pytest.raises(ravine.InputError, match="there.png"):
        ravine.open("there.png")
    with pytest.raises(ravine.OutputError, match="nowhere"):
        land.save("nowhere/land.png")
    with pytest.raises(ravine.Error, match="file"):
        land.save()
    with pytest.raises(TypeError, match="by name"):
        land.noise(3)
    with pytest.raises(ravine.UsageError, match="cells"):
        land.blur(radius="-3cells")
    with pytest.raises(TypeError, match="twice"):
        land.save("a.png", file="b.png")
    with pytest.raises(ravine.MemoryLimitError, match="memory"):
        ravine.terrain(size=4096, memory_limit=2**20)
    assert land.hash == before, "a call that fails changes nothing"
    assert issubclass(ravine.UsageError, ValueError) and issubclass(ravine.InputError, OSError)
    assert issubclass(ravine.MemoryLimitError, MemoryError)


def random_value(parameter, dice):
    """Any value that is in range, not too far from the default so that no step takes long."""
    if parameter.type == "choice":
        return dice.choice(list(parameter.options))
    if parameter.type == "switch":
        return dice.random() < 0.5
    if parameter.type == "seed":
        return dice.getrandbits(64)
    if parameter.type == "real":
        base = parameter.default or 1.0
        return float(
            np.float32(min(max(base * dice.uniform(0.3, 2), parameter.low), parameter.high))
        )
    if parameter.type in ("int", "count") and parameter.default is not None:
        return int(
            min(max(parameter.default * dice.uniform(0.5, 1), parameter.low), parameter.high)
        )
    return parameter.default


def test_random_parameters_make_the_programs_bits(program):
    """And what the library refuses, such as drops where painted rain falls nowhere, the program
    refuses with the same sentence."""
    dice = random.Random(7)
    wear = [
        step
        for step in METHODS
        if step.kind in ("make", "shape", "limit", "wear") and not step.resizes
    ]
    refused = 0
    for _ in range(24):
        recipe, land, sentence = ["terrain", "size=20"], ravine.terrain(size=20), ""
        for step in [ravine.steps["noise"], *dice.sample(wear, 3)]:
            keys = dice.sample(list(step.parameters), min(3, len(step.parameters)))
            values = {key: random_value(step.parameters[key], dice) for key in keys}
            values = {key: value for key, value in values.items() if value not in (None, "")}
            values = {**values_for(step), **values}
            recipe += [step.name, *(f"{key}={text_of(value)}" for key, value in values.items())]
            try:
                getattr(land, step.name)(**values)
            except ravine.Error as error:
                sentence = str(error)
                break
        if sentence:
            refused += 1
            with pytest.raises(subprocess.CalledProcessError) as said:
                program(*recipe)
            assert said.value.stderr.strip() == f"ravine: {sentence}", " ".join(recipe)
        else:
            assert program(*recipe)[-1]["hash"] == land.hash, " ".join(recipe)
    assert refused <= 4


def test_the_stubs_are_python_and_say_what_the_steps_are(source):
    package = os.path.dirname(ravine.__file__)
    assert os.path.exists(os.path.join(package, "py.typed"))
    with open(os.path.join(package, "_steps.pyi")) as file:
        text = file.read()
    scope = {}
    imports = {
        "from typing_extensions import Self": "Self = object",
        "from ._context import ProgressLike": "ProgressLike = object",
        "from ._devices import DeviceLike": "DeviceLike = object",
        "from ._land import Land": "Land = object",
    }
    for line, plain in imports.items():
        assert line in text
        text = text.replace(line, plain)
    exec(compile(text, "_steps.pyi", "exec"), scope)
    for step in METHODS:
        stub, real = getattr(scope["Steps"], step.name), getattr(ravine.Land, step.name)
        mine, its = inspect.signature(stub).parameters, inspect.signature(real).parameters
        assert list(mine) == list(its)
        assert [p.default for p in mine.values()] == [p.default for p in its.values()]
        assert inspect.cleandoc(stub.__doc__) == inspect.cleandoc(real.__doc__)
        assert all(p.annotation is not p.empty for name, p in mine.items() if name != "self")
    assert scope["__all__"] == ravine._starts
