"""The panel in the sidebar of the 3D view, and what its buttons do."""
import os
import tempfile

import bpy
import numpy as np

from . import ravine_jobs, ravine_meshes, ravine_settings

looked = []  # where the library was looked for in vain


def state_lines():
    """What the preferences and, without a library, the panel say."""
    if ravine_jobs.ravine is not None:
        ravine = ravine_jobs.ravine
        return [f"Ravine {ravine.__version__} from {os.path.dirname(ravine.__file__)}"]
    return ["There is no Ravine here. It was looked for in:", *looked]


# ---- runs: what is read before, and written after ----


class NewLand:
    """Makes a new grid."""

    def __init__(self, context):
        self.metres = context.scene.ravine.scale
        values = ravine_settings.values_of(
            context.scene.ravine.terrain, ravine_jobs.ravine.steps["terrain"]
        )
        self.limits = {}
        self.start = lambda: ravine_jobs.ravine.terrain(progress=False, **values)

    def finish(self, context, land):
        mesh = ravine_meshes.grid_mesh("Land", land["height"], land.cell, self.metres)
        ravine_meshes.set_fields(mesh, fields_of(land, np.ravel))
        thing = bpy.data.objects.new("Land", mesh)
        context.collection.objects.link(thing)
        for other in context.selected_objects:
            other.select_set(False)
        thing.select_set(True)
        context.view_layer.objects.active = thing
        return thing.name


class ActiveGrid:
    """Erodes the active mesh."""

    def __init__(self, context):
        thing, settings = context.active_object, context.scene.ravine
        if thing is None or thing.type != "MESH":
            raise ravine_meshes.NoGrid("Select a grid first: a mesh with square cells.")
        self.metres = settings.scale
        self.name = thing.name  # after an undo the object itself is another
        self.grid = ravine_meshes.Grid(thing, settings.scale)
        self.limits = {
            "mask": self.grid.weights(thing, settings.mask),
            "hardness": self.grid.weights(thing, settings.hardness),
        }
        grid = self.grid
        self.start = lambda: ravine_jobs.ravine.Land(grid.heights, grid.cell)

    def finish(self, context, land):
        thing = bpy.data.objects.get(self.name)
        same = (
            thing is not None
            and thing.type == "MESH"
            and land.shape == self.grid.shape
            and len(thing.data.vertices) == land["height"].size
        )
        if not same:  # it was deleted or changed meanwhile
            return NewLand.finish(self, context, land)
        self.grid.set_heights(thing.data, land["height"])
        ravine_meshes.set_fields(thing.data, fields_of(land, self.grid.vertices))
        return thing.name


class AnImage:
    """Erodes an image."""

    def __init__(self, context):
        settings = context.scene.ravine
        if settings.image is None or not settings.image.has_data and not settings.image.size[0]:
            raise ravine_meshes.NoGrid("Choose an image first.")
        self.low, self.high, self.name = settings.low, settings.high, settings.image.name
        if self.low == self.high:
            raise ravine_meshes.NoGrid("Black and white must stand for different heights.")
        heights = ravine_meshes.image_heights(settings.image, self.low, self.high)
        cell = settings.cell
        self.limits = {}
        self.start = lambda: ravine_jobs.ravine.Land(heights, cell)

    def finish(self, context, land):
        name = f"{self.name} eroded"
        return ravine_meshes.image_of(name, land["height"], self.low, self.high).name


SOURCES = {"NEW": NewLand, "GRID": ActiveGrid, "IMAGE": AnImage}


def fields_of(land, as_vertices):
    return {name: as_vertices(land[name]) for name in land.fields if name != "height"}


def land_job(context):
    settings = context.scene.ravine
    source = SOURCES[settings.source](context)
    steps = [
        (
            item.step,
            ravine_settings.values_of(
                getattr(item, item.step), ravine_jobs.ravine.steps[item.step]
            ),
        )
        for item in settings.steps
        if item.step in ravine_jobs.ravine.steps
    ]
    return ravine_jobs.Job(ravine_jobs.land_work(source.start, source.limits, steps)), source.finish


def unlike(names):
    """The names, with numbers behind those that another has, too, as some file systems see it."""
    seen, found = set(), []
    for name in names:
        number, made = 1, name
        while made.lower() in seen:
            number += 1
            made = f"{name}-{number}"
        seen.add(made.lower())
        found.append(made)
    return found


class RockAndWater:
    """A scene with the selected closed meshes as rock."""

    def __init__(self, context):
        rocks = [thing for thing in context.selected_objects if thing.type == "MESH"]
        if not rocks:
            raise ravine_meshes.NoGrid("Select the rock first: one or more closed meshes.")
        settings = context.scene.ravine
        self._folder = tempfile.TemporaryDirectory(prefix="ravine-")
        # Messages name the file, so it is called as the object is.
        names = unlike([bpy.path.clean_name(thing.name) for thing in rocks])
        files = [os.path.join(self._folder.name, f"{name}.obj") for name in names]
        points = np.concatenate([ravine_meshes.write_obj(*pair) for pair in zip(files, rocks)])
        self.names = [thing.name for thing in rocks]
        words, box = self._words(settings, points.min(axis=0), points.max(axis=0))
        frames = settings.word_run.frames
        self.work = ravine_jobs.scene_work(ravine_jobs.scene_words(files, box, words), frames)

    def _words(self, settings, low, high):
        """The words of the panel, with the source in its place, and a box around it all."""
        table, words = ravine_jobs.ravine.scene_words, []
        size = np.array(settings.word_source.size)
        side = (high - low).max()
        at = np.array([*(low + high)[:2] / 2, high[2] + 0.1 * side + size[2]])
        if settings.water is not None:
            at = np.array(settings.water.matrix_world.translation, dtype=np.float64)
        for name in ravine_settings.SCENE_WORDS:
            values = ravine_settings.values_of(getattr(settings, f"word_{name}"), table[name])
            left_out = ravine_settings.LEFT_OUT.get(name, set())
            values = {
                key: value
                for key, value in values.items()
                if key not in left_out and value not in (None, "")
            }
            if name == "source":
                values["at"] = tuple(at)
            words.append((name, values))
        margin = 0.1 * side
        low, high = np.minimum(low, at - size) - margin, np.maximum(high, at + size) + margin
        return words, (tuple(low), tuple(high), settings.open)

    def finish(self, context, scene):
        self._folder.cleanup()
        rock = scene.mesh()
        mesh = ravine_meshes.mesh_of("Eroded rock", rock.points, rock.faces)
        mesh.polygons.foreach_set("use_smooth", np.zeros(len(mesh.polygons), dtype=bool))
        thing = bpy.data.objects.new("Eroded rock", mesh)
        context.collection.objects.link(thing)
        water = bpy.data.meshes.new("Water")
        drops = scene.particles
        water.from_pydata(drops["positions"].tolist(), [], [])
        water.attributes.new("speed", "FLOAT", "POINT").data.foreach_set(
            "value", np.linalg.norm(drops["velocities"], axis=1).astype(np.float32)
        )
        context.collection.objects.link(bpy.data.objects.new("Water", water))
        for name in self.names:
            if name in context.view_layer.objects:
                bpy.data.objects[name].hide_set(True)
        return thing.name


def scene_job(context):
    source = RockAndWater(context)
    return ravine_jobs.Job(source.work), source.finish


# ---- operators ----


class Runs:
    """An operator that runs a job: with a window, the window stays alive; without, it waits."""

    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return (
            ravine_jobs.ravine is not None
            and context.mode == "OBJECT"
            and ravine_jobs.current() is None
        )

    def _begin(self, context):
        try:
            self._job, self._finish = self.begin_job(context)
        except ravine_meshes.NoGrid as error:
            self.report({"ERROR"}, str(error))
            return False
        return True

    def _end(self, context):
        try:
            made = self._finish(context, self._job.end())
        except ravine_jobs.ravine.Cancelled as error:
            self.report({"WARNING"}, str(error))
            return {"CANCELLED"}
        except Exception as error:  # what the library says is one sentence
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self.report({"INFO"}, f"Ravine: {made}")
        return {"FINISHED"}

    def execute(self, context):
        return self._end(context) if self._begin(context) else {"CANCELLED"}

    def invoke(self, context, event):
        if bpy.app.background:
            return self.execute(context)
        if not self._begin(context):
            return {"CANCELLED"}
        self._timer = context.window_manager.event_timer_add(0.1, window=context.window)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type == "ESC":
            self._job.stop()
        if event.type != "TIMER":
            return {"PASS_THROUGH"}
        context.scene.ravine.progress = 100 * self._job.done
        context.workspace.status_text_set(
            f"Ravine: {self._job.step} {100 * self._job.done:.0f} %   (Esc stops it)"
        )
        # The sidebars alone: to draw the land again takes long where it is large.
        for area in context.screen.areas:
            for region in area.regions if area.type == "VIEW_3D" else ():
                if region.type == "UI":
                    region.tag_redraw()
        if self._job.running:
            return {"PASS_THROUGH"}
        context.workspace.status_text_set(None)
        context.window_manager.event_timer_remove(self._timer)
        return self._end(context)

    def cancel(self, context):
        """Blender ends it, such as when another file is opened."""
        self._job.abandon()


class RAVINE_OT_run(Runs, bpy.types.Operator):
    """Runs the steps"""

    bl_idname, bl_label = "ravine.run", "Run"
    begin_job = staticmethod(land_job)


class RAVINE_OT_run_scene(Runs, bpy.types.Operator):
    """Lets water flow over the selected closed meshes and erode them"""

    bl_idname, bl_label = "ravine.run_scene", "Erode the selected rock"
    begin_job = staticmethod(scene_job)


class RAVINE_OT_stop(bpy.types.Operator):
    """Stops the run"""

    bl_idname, bl_label = "ravine.stop", "Stop"

    def execute(self, context):
        if ravine_jobs.current() is not None:
            ravine_jobs.current().stop()
        return {"FINISHED"}


def step_items(self, context):
    """The steps by kind, as a menu; Blender wants the texts kept."""
    if not step_items.kept and ravine_jobs.ravine is not None:
        steps = ravine_settings.methods(ravine_jobs.ravine)
        for kind, title in ravine_jobs.ravine.kinds.items():
            found = [(step.name, step.name, step.sentence) for step in steps if step.kind == kind]
            step_items.kept += [("", title, ""), *found] if found else []
    return step_items.kept


step_items.kept = []


class RAVINE_OT_step_add(bpy.types.Operator):
    """Adds a step after the active one"""

    bl_idname, bl_label, bl_options = "ravine.step_add", "Add a step", {"REGISTER", "UNDO"}

    step: bpy.props.EnumProperty(name="Step", items=step_items)

    def execute(self, context):
        settings = context.scene.ravine
        settings.steps.add().step = self.step
        last = len(settings.steps) - 1
        place = min(settings.active + 1, last)
        settings.steps.move(last, place)
        settings.active = place
        return {"FINISHED"}


class RAVINE_OT_step_remove(bpy.types.Operator):
    """Removes the active step"""

    bl_idname, bl_label, bl_options = "ravine.step_remove", "Remove", {"REGISTER", "UNDO"}

    def execute(self, context):
        settings = context.scene.ravine
        settings.steps.remove(settings.active)
        settings.active = max(0, min(settings.active, len(settings.steps) - 1))
        return {"FINISHED"}


class RAVINE_OT_step_move(bpy.types.Operator):
    """Moves the active step"""

    bl_idname, bl_label, bl_options = "ravine.step_move", "Move", {"REGISTER", "UNDO"}

    by: bpy.props.IntProperty(default=1)

    def execute(self, context):
        settings = context.scene.ravine
        place = settings.active + self.by
        if 0 <= place < len(settings.steps):
            settings.steps.move(settings.active, place)
            settings.active = place
        return {"FINISHED"}


# ---- what is drawn ----


class RAVINE_UL_steps(bpy.types.UIList):
    def draw_item(self, context, layout, data, item, icon, active_data, active_property, index):
        layout.label(text=item.step)


def draw_parameters(layout, group, word, left_out=()):
    for parameter in word.parameters.values():
        if parameter.name in left_out:
            continue
        key, row = ravine_settings.key_of(parameter), layout.row(align=True)
        if parameter.auto:
            row = row.split(factor=0.8, align=True)
            value = row.row()
            value.enabled = not getattr(group, f"{parameter.name}_auto")
            value.prop(group, key)
            row.prop(group, f"{parameter.name}_auto", toggle=True)
        else:
            row.prop(group, key)


class Sidebar:
    bl_space_type, bl_region_type, bl_category = "VIEW_3D", "UI", "Ravine"


class RAVINE_PT_land(Sidebar, bpy.types.Panel):
    bl_label = "Ravine"

    def draw(self, context):
        layout = self.layout
        if ravine_jobs.ravine is None:
            for line in state_lines():
                layout.label(text=line)
            layout.operator("ravine.look_again")
            return
        settings = context.scene.ravine
        layout.prop(settings, "source")
        self.draw_source(context, layout.box().column(), settings)
        self.draw_steps(layout, settings)
        if ravine_jobs.current() is not None:
            layout.prop(settings, "progress", slider=True)
            layout.operator("ravine.stop", icon="CANCEL")
        else:
            layout.operator("ravine.run", icon="PLAY")
        if settings.active < len(settings.steps):
            item = settings.steps[settings.active]
            if item.step in ravine_jobs.ravine.steps:
                step = ravine_jobs.ravine.steps[item.step]
                draw_parameters(layout.column(), getattr(item, item.step), step)

    @staticmethod
    def draw_source(context, box, settings):
        if settings.source == "IMAGE":
            box.template_ID(settings, "image", open="image.open")
            for name in ("low", "high", "cell"):
                box.prop(settings, name)
            return
        box.prop(settings, "scale")
        thing = context.active_object
        if settings.source == "NEW":
            draw_parameters(box, settings.terrain, ravine_jobs.ravine.steps["terrain"])
        elif thing is not None and thing.type == "MESH":
            box.label(text=thing.name, icon="MESH_GRID")
            box.prop_search(settings, "mask", thing, "vertex_groups")
            box.prop_search(settings, "hardness", thing, "vertex_groups")
        else:
            box.label(text="Select a grid.")

    @staticmethod
    def draw_steps(layout, settings):
        row = layout.row()
        row.template_list("RAVINE_UL_steps", "", settings, "steps", settings, "active", rows=4)
        column = row.column(align=True)
        column.operator_menu_enum("ravine.step_add", "step", text="", icon="ADD")
        column.operator("ravine.step_remove", text="", icon="REMOVE")
        column.operator("ravine.step_move", text="", icon="TRIA_UP").by = -1
        column.operator("ravine.step_move", text="", icon="TRIA_DOWN").by = 1


class RAVINE_PT_scene(Sidebar, bpy.types.Panel):
    bl_label, bl_options = "Water on rock", {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context):
        return ravine_jobs.ravine is not None

    def draw(self, context):
        settings, layout = context.scene.ravine, self.layout
        layout.prop(settings, "water")
        layout.prop(settings, "open")
        for name in ravine_settings.SCENE_WORDS:
            layout.label(text=name)
            word = ravine_jobs.ravine.scene_words[name]
            left_out = ravine_settings.LEFT_OUT.get(name, ())
            draw_parameters(
                layout.box().column(), getattr(settings, f"word_{name}"), word, left_out
            )
        layout.operator("ravine.run_scene", icon="PLAY")


classes = (
    RAVINE_OT_run,
    RAVINE_OT_run_scene,
    RAVINE_OT_stop,
    RAVINE_OT_step_add,
    RAVINE_OT_step_remove,
    RAVINE_OT_step_move,
    RAVINE_UL_steps,
    RAVINE_PT_land,
    RAVINE_PT_scene,
)


def register():
    for cls in classes:
        bpy.utils.register_class(cls)


def unregister():
    for cls in reversed(classes):
        bpy.utils.unregister_class(cls)
    step_items.kept.clear()
