"""test_window.py, run by Blender with a window: it stays alive while the library works, shows how
far it is, and Esc or the button stop it. With a PICTURE, a picture of the window is written there.

    xvfb-run -a blender --factory-startup --python test_window.py -- ZIP [PICTURE]
"""
import os
import sys
import time
import traceback

import bpy

zip_file, *picture = sys.argv[sys.argv.index("--") + 1 :]
NAME = "ravine_terrain"


def jobs():
    return sys.modules[f"{NAME}.ravine_jobs"]


def settings():
    return bpy.context.scene.ravine


def in_view(call):
    window = bpy.context.window_manager.windows[0]
    area = next(area for area in window.screen.areas if area.type == "VIEW_3D")
    region = next(region for region in area.regions if region.type == "WINDOW")
    with bpy.context.temp_override(window=window, area=area, region=region):
        return call(area)


def add_steps(**steps):
    settings().steps.clear()
    for name, values in steps.items():
        item = settings().steps.add()
        item.step = name
        for key, value in values.items():
            setattr(getattr(item, name), key, value)
            if hasattr(getattr(item, name), f"{key}_auto"):
                setattr(getattr(item, name), f"{key}_auto", False)


def script():
    """One part after the other; after each yield the window has had its turn."""
    settings().terrain.size = 200
    add_steps(noise={"relief": 1200.0}, droplets={"drops": 10**9})
    before = len(bpy.data.objects)
    in_view(lambda area: bpy.ops.ravine.run("INVOKE_DEFAULT"))
    turns, seen, began = 0, set(), time.monotonic()
    while (turns < 11 or len(seen) < 3) and time.monotonic() - began < 200:
        turns += 1
        seen.add(round(settings().progress, 4))
        yield
    assert jobs().current() is not None, "the run is over already"
    assert turns > 10, "the window was frozen"
    assert len(seen) >= 3, "the panel does not show how far the run is"
    bpy.ops.ravine.stop()
    stopped = time.monotonic()
    while jobs().current() is not None and time.monotonic() - stopped < 100:
        yield
    assert jobs().current() is None and len(bpy.data.objects) == before

    settings().terrain.size = 300
    add_steps(
        noise={"seed": 11, "frequency": 0.5, "relief": 900.0, "octaves": 8},
        droplets={"drops": 120000, "border": "apron"},
        thermal={"talus": 36.0},
    )
    settings().active = 1
    in_view(lambda area: bpy.ops.ravine.run("INVOKE_DEFAULT"))
    while jobs().current() is not None:
        yield
    yield
    assert len(bpy.data.objects) == before + 1
    assert len(bpy.context.view_layer.objects.active.data.vertices) == 300 * 300
    if picture:
        yield from draw()


def draw():
    """The panel beside the land it made."""
    for thing in ("Cube", "Light", "Camera"):
        bpy.data.objects.remove(bpy.data.objects[thing])

    def look(area):
        space = area.spaces.active
        space.show_region_ui, space.show_region_toolbar = True, False
        space.overlay.show_overlays = space.show_gizmo = False
        shading = space.shading
        shading.light, shading.color_type, shading.single_color = (
            "STUDIO",
            "SINGLE",
            (0.5, 0.43, 0.34),
        )
        shading.show_cavity, shading.cavity_type, shading.show_shadows = True, "BOTH", True
        space.region_3d.view_rotation = (0.84, 0.45, 0.14, 0.26)
        bpy.ops.view3d.view_selected()
        space.region_3d.view_distance *= 0.8

    in_view(look)
    for _ in range(20):  # the view moves smoothly
        yield
    # Blender 3.4 cannot choose a tab of the sidebar: take away the others, and what has one of its own.
    for cls in list(bpy.types.Panel.__subclasses__()):
        other = getattr(cls, "bl_category", "") != "Ravine"
        if getattr(cls, "bl_region_type", "") == "UI" and other and cls.is_registered:
            bpy.utils.unregister_class(cls)
    bpy.context.view_layer.objects.active = None
    for _ in range(20):
        yield
    path = os.path.abspath(picture[0])
    in_view(lambda area: bpy.ops.screen.screenshot_area(filepath=path))
    yield


def turn(running):
    try:
        next(running)
        return 0.02
    except StopIteration:
        print("all passed", flush=True)
        os._exit(0)
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)


bpy.context.preferences.view.show_splash = False
bpy.context.preferences.view.smooth_view = 0
bpy.ops.preferences.addon_install(filepath=zip_file)
bpy.ops.preferences.addon_enable(module=NAME)
bpy.app.timers.register(lambda running=script(): turn(running), first_interval=0.5)
