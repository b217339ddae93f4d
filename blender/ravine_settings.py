"""What the panel shows, made from the library's table: a group of properties for each step and each
word of scenes."""
import bpy
from bpy.props import (
    BoolProperty,
    CollectionProperty,
    EnumProperty,
    FloatProperty,
    FloatVectorProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)

LARGEST = 2**31 - 1

#: What a user sets for a scene; what the rest is comes from the selected objects.
SCENE_WORDS = ("source", "particles", "material", "wear", "tessellate", "run")
LEFT_OUT = {
    "source": {"at"},
    "material": {"name"},
    "run": {
        "save",
        "film",
        "every",
        "rate",
        "width",
        "height",
        "camera",
        "elevation",
        "cut",
        "wet",
        "wire",
    },
}

_registered = []


def key_of(parameter):
    """The name of its property: Blender has some names of its own, such as name."""
    taken = parameter.name in bpy.types.PropertyGroup.bl_rna.properties
    taken = taken or hasattr(bpy.types.PropertyGroup, parameter.name)
    return f"{parameter.name}_" if taken else parameter.name


def property_of(parameter):
    """The property of a parameter; a second one, KEY_auto, says whether the step chooses itself."""
    words = {"name": parameter.name, "description": parameter.help}
    if parameter.unit:
        words["description"] += f" ({parameter.unit})"
    default = parameter.default
    if parameter.type == "real":
        low, high = parameter.low, parameter.high
        value = default if default is not None else min(max(1.0, low), high)
        return FloatProperty(default=value, min=low, max=high, precision=4, **words)
    if parameter.type in ("int", "count", "seed"):
        low = int(parameter.low) if parameter.low is not None else 0
        high = min(int(parameter.high), LARGEST) if parameter.high is not None else LARGEST
        value = default if default is not None else min(max(1, low), high)
        return IntProperty(default=min(value, high), min=low, max=high, **words)
    if parameter.type == "switch":
        return BoolProperty(default=default, **words)
    if parameter.type == "choice":
        items = [(name, name, help) for name, help in parameter.options.items()]
        return EnumProperty(items=items, default=default, **words)
    if parameter.type == "vector":
        return FloatVectorProperty(default=default or (0, 0, 0), size=3, **words)
    kind = {"subtype": "FILE_PATH"} if parameter.type == "file" else {}
    return StringProperty(default=default or "", **kind, **words)


def group_of(word, prefix):
    annotations = {}
    for parameter in word.parameters.values():
        annotations[key_of(parameter)] = property_of(parameter)
        if parameter.auto:
            annotations[f"{parameter.name}_auto"] = BoolProperty(
                name="auto", default=parameter.default is None, description="Let the step choose it"
            )
    return type(
        f"{prefix}_{word.name}", (bpy.types.PropertyGroup,), {"__annotations__": annotations}
    )


def values_of(group, word):
    """The parameters as the library takes them."""
    values = {}
    for parameter in word.parameters.values():
        value = getattr(group, key_of(parameter))
        if parameter.auto and getattr(group, f"{parameter.name}_auto"):
            value = None
        elif parameter.type == "file":
            if not value and not parameter.required:
                continue
            value = bpy.path.abspath(value)
        elif parameter.type == "vector":
            value = tuple(value)
        elif parameter.type == "real":
            value = float(f"{value:.7g}")  # 0.45, not the nearest float to it
        values[parameter.name] = value
    return values


def methods(ravine):
    """Steps that change or show a land."""
    return [step for step in ravine.steps.values() if not step.starts and step.kind != "order"]


def _settings_class(ravine, step_class, terrain_class, word_classes):
    annotations = {
        "source": EnumProperty(
            name="From",
            items=[
                ("NEW", "New land", "Make a new grid"),
                (
                    "GRID",
                    "Active grid",
                    "Erode the active mesh: a grid of square cells, as Add > Mesh > Grid makes it",
                ),
                ("IMAGE", "Image", "Erode an image and make a new one"),
            ],
        ),
        "scale": FloatProperty(
            name="Metres per unit",
            default=1000,
            min=0.001,
            max=1e6,
            description="How many metres of land one unit of Blender stands for",
        ),
        "terrain": PointerProperty(type=terrain_class),
        "image": PointerProperty(type=bpy.types.Image, name="Image"),
        "low": FloatProperty(
            name="Black is", default=0, unit="NONE", description="Height of black, in metres"
        ),
        "high": FloatProperty(
            name="White is", default=1000, description="Height of white, in metres"
        ),
        "cell": FloatProperty(
            name="Cell", default=10, min=0.001, description="Metres between two pixels"
        ),
        "mask": StringProperty(
            name="Mask",
            description="Vertex group: steps act fully where its weight is 1, not where it is 0",
        ),
        "hardness": StringProperty(
            name="Hardness", description="Vertex group: where its weight is 1, nothing is eroded"
        ),
        "steps": CollectionProperty(type=step_class),
        "active": IntProperty(),
        "water": PointerProperty(
            type=bpy.types.Object,
            name="Source",
            description="Object at whose origin water appears; none: above the rock",
        ),
        "open": StringProperty(
            name="Open sides",
            default="bottom",
            description="Sides of the box that water leaves through, such as east/bottom",
        ),
        "progress": FloatProperty(
            name="Done", subtype="PERCENTAGE", min=0, max=100, options={"SKIP_SAVE"}
        ),
    }
    for name, cls in word_classes.items():
        annotations[f"word_{name}"] = PointerProperty(type=cls)
    return type("RAVINE_PG_settings", (bpy.types.PropertyGroup,), {"__annotations__": annotations})


def register(ravine):
    groups = {step.name: group_of(step, "RAVINE_PG_step") for step in methods(ravine)}
    terrain = group_of(ravine.steps["terrain"], "RAVINE_PG_start")
    words = {name: group_of(ravine.scene_words[name], "RAVINE_PG_word") for name in SCENE_WORDS}
    annotations = {name: PointerProperty(type=group) for name, group in groups.items()}
    annotations["step"] = StringProperty()
    item = type("RAVINE_PG_item", (bpy.types.PropertyGroup,), {"__annotations__": annotations})
    classes = [*groups.values(), terrain, *words.values(), item]
    for cls in classes:
        bpy.utils.register_class(cls)
    settings = _settings_class(ravine, item, terrain, words)
    bpy.utils.register_class(settings)
    _registered.extend([*classes, settings])
    bpy.types.Scene.ravine = PointerProperty(type=settings)


def unregister():
    del bpy.types.Scene.ravine
    while _registered:
        bpy.utils.unregister_class(_registered.pop())
