"""A .glb with texture=yes in Blender: the near mesh comes with its texture and coordinates, and the far one, put
into the scene, with the colours of its vertices. test_glb.py -- RAVINE FOLDER"""
import os
import struct
import subprocess
import sys

import bpy
import numpy

# The importer of Debian 12 asks for a name that its numpy has no more.
if not hasattr(numpy, "bool"):
    numpy.bool = bool

ravine, folder = sys.argv[sys.argv.index("--") + 1 :]
os.chdir(folder)
words = "terrain size=65 cell=10 noise seed=7 relief=300 save land.glb texture=yes save heights.r32"
subprocess.run([ravine, "--quiet", *words.split(), "texture", "ground.png", "kind=colour"], check=True)


def load(name):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.import_scene.gltf(filepath=name)
    return {thing.name: thing for thing in bpy.data.objects if thing.type == "MESH"}


def linear(level):
    return level / 12.92 if level <= 0.04045 else ((level + 0.055) / 1.055) ** 2.4


bpy.ops.wm.read_factory_settings(use_empty=True)
picture = bpy.data.images.load(os.path.abspath("ground.png"))
ground = list(picture.pixels)  # from the south-west, as the texture
heights = struct.unpack("<4225f", open("heights.r32", "rb").read())

# Blender does not know MSFT_lod: it brings both meshes, the far one as an object of its own.
things = load("land.glb")
assert set(things) == {"land", "land_far"}, things
mesh = things["land"].data
assert len(mesh.vertices) == 65 * 65, len(mesh.vertices)
image = next(
    node.image for node in mesh.materials[0].node_tree.nodes if node.type == "TEX_IMAGE"
)
assert tuple(image.size) == (65, 65), tuple(image.size)
worst = max(abs(a - b) for a, b in zip(image.pixels, ground))
assert worst < 0.003, f"the texture differs by {worst}"
uv = mesh.uv_layers[0].data
for loop in mesh.loops:
    place = mesh.vertices[loop.vertex_index].co  # Blender has z up again, and y north
    column, row = round(place.x / 10), round(64 - place.y / 10) if place.y >= 0 else round(-place.y / 10)
    u, v = uv[loop.index].uv
    assert abs(u - (column + 0.5) / 65) < 1e-5, (u, column)
    assert abs(heights[int((1 - v) * 65) * 65 + int(u * 65)] - place.z) < 1e-3, (u, v, tuple(place))

far = things["land_far"].data
assert 4 < len(far.vertices) < 65 * 65 / 4, len(far.vertices)
colours = far.color_attributes[0]
assert colours.domain in ("CORNER", "POINT"), colours.domain
for index, corner in enumerate(far.loops):
    place = far.vertices[corner.vertex_index].co
    column = round(place.x / 10)
    row = round(64 - place.y / 10) if place.y >= 0 else round(-place.y / 10)
    colour = colours.data[index if colours.domain == "CORNER" else corner.vertex_index].color
    pixel = 4 * ((64 - row) * 65 + column)
    for channel in range(3):
        wanted = linear(ground[pixel + channel])
        assert abs(colour[channel] - wanted) < 0.02, (tuple(colour), wanted)
print("all passed")
