"""Ravine in Blender: make land, erode a grid or an image, let water erode closed meshes.

The panel is in the sidebar of the 3D view (N), tab Ravine. Its steps and parameters are those of
the library's own table.
"""
bl_info = {
    "name": "Ravine",
    "description": "Makes terrain and erodes it as water and gravity do",
    "author": "The Ravine project",
    "version": "@version tuple@",
    "blender": (3, 4, 0),
    "location": "3D View > Sidebar > Ravine",
    "category": "Mesh",
}

import importlib
import os
import sys

import bpy

from . import ravine_jobs, ravine_panel, ravine_settings


class RavinePreferences(bpy.types.AddonPreferences):
    bl_idname = __package__

    folder: bpy.props.StringProperty(
        name="Folder of the Python package ravine",
        description="Only where the add-on did not bring it along and Python does not find it",
        subtype="DIR_PATH",
    )

    def draw(self, context):
        self.layout.prop(self, "folder")
        self.layout.operator("ravine.look_again")
        for line in ravine_panel.state_lines():
            self.layout.label(text=line)


def places(folder):
    """Where the package may be: a name for people, and how to import it from there."""
    here = os.path.join(os.path.dirname(__file__), "ravine")
    yield here, lambda: importlib.import_module(".ravine", __package__)
    if folder:
        yield os.path.join(folder, "ravine"), lambda: import_from(folder)
    name = f"Python's own packages ({sys.executable})"
    yield name, lambda: importlib.import_module("ravine")


def import_from(folder):
    sys.path.insert(0, folder)
    try:
        return importlib.import_module("ravine")
    finally:
        sys.path.remove(folder)


def find_ravine():
    """The package, or None; and a line for each place that was looked at in vain."""
    preferences = bpy.context.preferences.addons.get(__package__)
    folder = bpy.path.abspath(preferences.preferences.folder) if preferences else ""
    looked = []
    for name, load in places(folder):
        try:
            return load(), looked
        except (ImportError, OSError) as error:  # not there, or a library that cannot be loaded
            looked.append(f"{name}: {error}")
    return None, looked


def start():
    ravine, looked = find_ravine()
    ravine_panel.looked[:] = looked
    ravine_jobs.ravine = ravine
    if ravine is not None:
        ravine_settings.register(ravine)


def stop():
    if ravine_jobs.ravine is not None:
        ravine_settings.unregister()
    ravine_jobs.ravine = None


class RAVINE_OT_look_again(bpy.types.Operator):
    """Looks for the library again"""

    bl_idname = "ravine.look_again"
    bl_label = "Look for Ravine again"

    @classmethod
    def poll(cls, context):
        return ravine_jobs.current() is None

    def execute(self, context):
        stop()
        start()
        if ravine_jobs.ravine is None:
            self.report(
                {"ERROR"}, "There is still no Ravine; the panel says where it was looked for."
            )
            return {"CANCELLED"}
        return {"FINISHED"}


classes = (RavinePreferences, RAVINE_OT_look_again)


def register():
    for cls in classes:
        bpy.utils.register_class(cls)
    ravine_panel.register()
    start()


def unregister():
    ravine_jobs.stop_all()
    stop()
    ravine_panel.unregister()
    for cls in reversed(classes):
        bpy.utils.unregister_class(cls)
