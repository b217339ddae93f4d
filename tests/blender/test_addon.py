"""test_addon.py, run by Blender without a window: the add-on with the library it brought along.

    blender -b --factory-startup --python-exit-code 1 --python test_addon.py -- ZIP FOLDER
"""
import os
import sys
import threading

import addon_utils
import bpy
import numpy as np

zip_file, folder = sys.argv[sys.argv.index("--") + 1 :]
NAME = "ravine_terrain"


def part(name):
    return sys.modules[f"{NAME}.{name}"]


def said(operator, *words, **values):
    """What an operator reports when it fails."""
    try:
        operator(*words, **values)
    except RuntimeError as error:
        return str(error)
    return ""


def settings():
    return bpy.context.scene.ravine


def set_steps(*steps):
    settings().steps.clear()
    for name, values in steps:
        item = settings().steps.add()
        item.step = name
        for key, value in values.items():
            setattr(getattr(item, name), key, value)
            if hasattr(getattr(item, name), f"{key}_auto"):
                setattr(getattr(item, name), f"{key}_auto", False)


def add_grid(cells, size=2.0):
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=cells, y_subdivisions=cells, size=size)
    return bpy.context.active_object


def heights_of(thing):
    return part("ravine_meshes").points_of(thing.data)[:, 2]


def test_the_properties_are_the_tables():
    ravine = part("ravine_jobs").ravine
    assert os.path.dirname(ravine.__file__).endswith(os.path.join(NAME, "ravine"))
    item = settings().steps.add()
    for step in part("ravine_settings").methods(ravine):
        group = getattr(item, step.name)
        for parameter in step.parameters.values():
            made = group.bl_rna.properties[part("ravine_settings").key_of(parameter)]
            assert made.description.startswith(parameter.help), parameter
            if parameter.options:
                assert [item.identifier for item in made.enum_items] == list(parameter.options)
            if parameter.type == "real":
                assert made.hard_min == np.float32(parameter.low), parameter
                assert made.hard_max == np.float32(parameter.high), parameter
        # And with all defaults they are the library's own.
        values = part("ravine_settings").values_of(group, step)
        for name, value in values.items():
            parameter = step.parameters[name]
            if not parameter.required:
                assert value == parameter.default or value == "" == (parameter.default or ""), name
    settings().steps.clear()


def test_steps_are_added_moved_and_removed():
    bpy.ops.ravine.step_add(step="noise")
    bpy.ops.ravine.step_add(step="droplets")
    bpy.ops.ravine.step_add(step="thermal")
    assert [item.step for item in settings().steps] == ["noise", "droplets", "thermal"]
    bpy.ops.ravine.step_move(by=-1)
    assert [item.step for item in settings().steps] == ["noise", "thermal", "droplets"]
    bpy.ops.ravine.step_remove()
    bpy.ops.ravine.step_move(by=-1)
    bpy.ops.ravine.step_move(by=-1)
    assert [item.step for item in settings().steps] == ["droplets", "noise"]


def test_new_land_is_the_librarys():
    settings().source = "NEW"
    settings().terrain.size = 48
    settings().scale = 100
    set_steps(("noise", {"seed": 5, "relief": 300}), ("droplets", {"drops": 2000}))
    assert bpy.ops.ravine.run() == {"FINISHED"}
    land = part("ravine_jobs").ravine.run(
        "terrain size=48 noise seed=5 relief=300 droplets drops=2k"
    )
    mesh = bpy.context.active_object.data
    assert len(mesh.vertices) == 48 * 48 and len(mesh.polygons) == 47 * 47
    assert not mesh.validate(), "the mesh had to be mended"
    assert all(polygon.normal.z > 0 for polygon in mesh.polygons)
    assert np.allclose(heights_of(bpy.context.active_object), land["height"].ravel() / 100)
    points = part("ravine_meshes").points_of(mesh)
    assert np.isclose(np.ptp(points[:, 0]), 47 * 10 / 100) and points[0, 1] > points[-1, 1]
    for name in ("eroded", "deposited", "flow"):
        values = np.empty(48 * 48, dtype=np.float32)
        mesh.attributes[name].data.foreach_get("value", values)
        assert np.array_equal(values, land[name].ravel())
    colours = np.empty(48 * 48 * 4, dtype=np.float32)
    mesh.color_attributes["Ravine"].data.foreach_get("color", colours)
    red = colours.reshape(-1, 4)[:, 0]
    assert red.min() >= 0 and red.max() == 1
    assert (np.diff(red[np.argsort(land["eroded"].ravel())]) >= 0).all(), "more red is more eroded"


def test_a_grid_is_eroded_in_place():
    thing = add_grid(40)
    thing.scale = (1, 1, 2)
    bpy.context.view_layer.update()
    hill = part("ravine_meshes").points_of(thing.data)
    hill[:, 2] = 0.2 * np.exp(-4 * (hill[:, 0] ** 2 + hill[:, 1] ** 2))
    thing.data.vertices.foreach_set("co", hill.ravel())
    group = thing.vertex_groups.new(name="east")
    east = hill[:, 0] > 0.01
    group.add([int(i) for i in np.flatnonzero(east)], 1.0, "REPLACE")
    settings().source, settings().scale, settings().mask = "GRID", 500, "east"
    set_steps(("droplets", {"drops": 3000}))
    before = len(bpy.data.objects)
    assert bpy.ops.ravine.run() == {"FINISHED"}
    assert len(bpy.data.objects) == before and bpy.context.active_object == thing
    after = heights_of(thing)
    assert np.array_equal(after[~east], hill[~east, 2]), "land outside the mask was changed"
    assert np.abs(after - hill[:, 2])[east].max() > 1e-3
    # The same as the library's: rows from north to south, heights and cells in metres.
    ravine = part("ravine_jobs").ravine
    order = np.lexsort((hill[:, 0], -hill[:, 1]))
    land = ravine.Land(hill[order, 2].reshape(41, 41) * 2 * 500, cell=2 / 40 * 500)
    land["mask"] = east[order].reshape(41, 41)
    land.droplets(drops=3000)
    assert np.allclose(after[order], land["height"].ravel() / 1000, atol=1e-6)
    # Hardness, and a second run on what the first one left.
    settings().mask, settings().hardness = "", "east"
    bpy.ops.ravine.run()
    assert np.array_equal(heights_of(thing)[east] < after[east] - 1e-6, np.zeros(east.sum(), bool))
    settings().hardness = ""
    # Another size is another object.
    set_steps(("resize", {"size": 60}))
    bpy.ops.ravine.run()
    assert len(bpy.data.objects) == before + 1
    assert len(bpy.context.active_object.data.vertices) == 60 * 60


def test_an_undo_while_it_runs_does_no_harm():
    """After an undo the object of that name is another: the result goes to it."""
    thing = add_grid(10)
    thing.name = "Undone"
    settings().source, settings().scale = "GRID", 500
    set_steps(("noise", {"relief": 100}))
    panel = part("ravine_panel")
    job, finish = panel.land_job(bpy.context)
    mesh = thing.data
    bpy.data.objects.remove(thing)
    again = bpy.data.objects.new("Undone", mesh)
    bpy.context.collection.objects.link(again)
    before = len(bpy.data.objects)
    assert finish(bpy.context, job.end()) == "Undone" and len(bpy.data.objects) == before
    assert np.ptp(heights_of(again)) > 0.01


def test_rocks_whose_names_are_alike_are_two_files():
    panel = part("ravine_panel")
    assert panel.unlike(["a", "b", "A", "a", "a-2"]) == ["a", "b", "A-2", "a-3", "a-2-2"]
    bpy.ops.object.select_all(action="DESELECT")
    for name, x in (("Rock 1", 0), ("Rock_1", 5)):
        bpy.ops.mesh.primitive_cube_add(size=1, location=(x, 0, 0))
        bpy.context.active_object.name = name
    for name in ("Rock 1", "Rock_1"):
        bpy.data.objects[name].select_set(True)
    rocks = panel.RockAndWater(bpy.context)
    files = sorted(os.listdir(rocks._folder.name))
    assert files == ["Rock_1-2.obj", "Rock_1.obj"], files
    rocks._folder.cleanup()
    bpy.ops.object.select_all(action="DESELECT")


def test_what_is_no_grid_gets_a_sentence():
    settings().source = "GRID"
    bpy.ops.mesh.primitive_monkey_add()
    assert "no grid" in said(bpy.ops.ravine.run) or "even distances" in said(bpy.ops.ravine.run)
    thing = add_grid(6)
    thing.scale = (1, 2, 1)
    bpy.context.view_layer.update()
    assert "must be square" in said(bpy.ops.ravine.run)
    thing.scale = (1, 1, 1)
    bpy.context.view_layer.update()
    settings().mask = "nowhere"
    assert 'no vertex group "nowhere"' in said(bpy.ops.ravine.run)
    settings().mask = ""
    bpy.ops.object.light_add()
    assert "Select a grid" in said(bpy.ops.ravine.run)
    settings().source = "NEW"
    set_steps(("save", {"file": "/nowhere/land.png"}))
    assert "nowhere" in said(bpy.ops.ravine.run)
    settings().source, settings().image = "IMAGE", None
    assert "Choose an image" in said(bpy.ops.ravine.run)


def test_an_image_is_eroded_into_a_new_one():
    image = bpy.data.images.new("hill", 40, 30, float_buffer=True, is_data=True)
    y, x = np.mgrid[0:1:30j, 0:1:40j]
    pixels = np.ones((30, 40, 4), dtype=np.float32)
    pixels[..., 0] = np.exp(-8 * ((x - 0.5) ** 2 + (y - 0.3) ** 2))
    image.pixels.foreach_set(pixels.ravel())
    settings().source, settings().image = "IMAGE", image
    settings().low, settings().high, settings().cell = -100, 400, 8
    set_steps(("thermal", {"talus": 20}))
    assert bpy.ops.ravine.run() == {"FINISHED"}
    made = bpy.data.images["hill eroded"]
    assert tuple(made.size) == (40, 30) and made.is_float
    out = np.empty(40 * 30 * 4, dtype=np.float32)
    made.pixels.foreach_get(out)
    ravine = part("ravine_jobs").ravine
    land = ravine.Land(-100 + 500 * pixels[::-1, :, 0], cell=8).thermal(talus=20)
    assert np.allclose(out.reshape(30, 40, 4)[::-1, :, 0], (land["height"] + 100) / 500, atol=1e-6)


def test_water_erodes_closed_meshes():
    bpy.ops.object.select_all(action="DESELECT")
    bpy.ops.mesh.primitive_cube_add(size=1)
    rock = bpy.context.active_object
    settings().word_run.frames = 12
    settings().word_source.rate = 20000
    settings().word_source.size = (0.4, 0.4, 0.1)
    settings().word_source.speed = (0, 0, -3)
    settings().word_material.critical, settings().word_material.critical_auto = 0.01, False
    assert bpy.ops.ravine.run_scene() == {"FINISHED"}
    eroded = bpy.data.objects["Eroded rock"]
    assert len(eroded.data.vertices) >= 8 and not eroded.data.validate()
    assert len(bpy.data.objects["Water"].data.vertices) > 0 and rock.hide_get()
    bpy.ops.object.select_all(action="DESELECT")
    assert "Select the rock" in said(bpy.ops.ravine.run_scene)
    add_grid(4)
    bpy.context.active_object.name = "Leaky"
    assert "Leaky.obj: is not the surface of a solid" in said(bpy.ops.ravine.run_scene)


def test_a_run_can_be_stopped():
    jobs = part("ravine_jobs")
    ravine = jobs.ravine
    work = jobs.land_work(
        lambda: ravine.terrain(size=128).noise(), {}, [("droplets", {"drops": 10**9})]
    )
    job = jobs.Job(work)
    assert jobs.current() is job and not bpy.ops.ravine.run.poll()
    while job.done == 0 and job.running:
        threading.Event().wait(0.02)
    assert job.running and 0 < job.done < 1 and job.step == "droplets"
    bpy.ops.ravine.stop()
    try:
        job.end()
        raise AssertionError("it was not stopped")
    except ravine.Cancelled as error:
        assert "Stopped in droplets" in str(error)
    assert jobs.current() is None and bpy.ops.ravine.run.poll()
    jobs.Job(work)
    jobs.stop_all()
    assert jobs.current() is None


class Anything:
    """Takes the place of a layout: notes what is drawn."""

    def __init__(self, drawn):
        self.drawn = drawn

    def __getattr__(self, name):
        def call(*words, **values):
            self.drawn.append((name, words, values))
            return Anything(self.drawn)

        return call


def drawn_by(panel):
    drawn = []
    holder = type(
        "Panel",
        (),
        {
            "layout": Anything(drawn),
            **{
                name: staticmethod(getattr(panel, name))
                for name in ("draw_source", "draw_steps")
                if hasattr(panel, name)
            },
        },
    )()
    panel.draw(holder, bpy.context)
    return drawn


def test_the_panel_shows_every_parameter():
    panel = part("ravine_panel")
    for source in ("NEW", "GRID", "IMAGE"):
        settings().source = source
        set_steps(("noise", {}), ("droplets", {}))
        settings().active = 1
        drawn = drawn_by(panel.RAVINE_PT_land)
        shown = {words[1] for name, words, _ in drawn if name == "prop"}
        ravine = part("ravine_jobs").ravine
        assert set(ravine.steps["droplets"].parameters) <= shown
        assert any(words[:1] == ("ravine.run",) for name, words, _ in drawn if name == "operator")
    assert any(
        words[1] == "frames" for name, words, _ in drawn_by(panel.RAVINE_PT_scene) if name == "prop"
    )


def test_the_page_shows_what_works():
    settings().steps.clear()
    page = os.path.join(
        os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "blender.md"
    )
    with open(page) as file:
        blocks = file.read().split("```python\n")[1:]
    for block in blocks:
        exec(block.split("```")[0], {"bpy": bpy})
    assert len(blocks) == 1 and len(bpy.context.active_object.data.vertices) == 256 * 256


def test_without_a_library_it_says_where_it_looked():
    """The same add-on, when the library that it brought is gone."""
    addon_utils.disable(NAME)
    home = os.path.join(bpy.utils.user_resource("SCRIPTS", path="addons"), NAME)
    os.rename(os.path.join(home, "ravine"), os.path.join(folder, "away"))
    for name in [
        name
        for name in sys.modules
        if name.startswith(f"{NAME}.ravine.") or name == f"{NAME}.ravine"
    ]:
        del sys.modules[name]
    addon_utils.enable(NAME)
    lines = part("ravine_panel").state_lines()
    assert "There is no Ravine here" in lines[0] and any(
        os.path.join(NAME, "ravine") in line for line in lines[1:]
    )
    labels = [
        values.get("text")
        for name, _, values in drawn_by(part("ravine_panel").RAVINE_PT_land)
        if name == "label"
    ]
    assert labels == lines
    assert not bpy.ops.ravine.run.poll()
    assert "still no Ravine" in said(bpy.ops.ravine.look_again)
    # A folder in the preferences helps.
    os.makedirs(os.path.join(folder, "packages"))
    os.rename(os.path.join(folder, "away"), os.path.join(folder, "packages", "ravine"))
    bpy.context.preferences.addons[NAME].preferences.folder = os.path.join(folder, "packages")
    assert bpy.ops.ravine.look_again() == {"FINISHED"}
    assert (
        "from " + os.path.join(folder, "packages", "ravine")
        in part("ravine_panel").state_lines()[0]
    )
    settings().source = "NEW"
    settings().terrain.size = 16
    set_steps(("noise", {}))
    assert bpy.ops.ravine.run() == {"FINISHED"}


def test_it_goes_without_a_trace():
    addon_utils.disable(NAME)
    assert not hasattr(bpy.types.Scene, "ravine") and not hasattr(bpy.types, "RAVINE_PT_land")


bpy.ops.preferences.addon_install(filepath=zip_file)
bpy.ops.preferences.addon_enable(module=NAME)
for name, test in list(globals().items()):
    if name.startswith("test_"):
        test()
        print("passed:", name)
print("all passed")
