# %% [markdown]
# # Ravine and Python
#
# The package `ravine` is the C library with numpy arrays around it: every [step](steps.md) is a method, and
# the same words give the same bits as the program. Install it from the sources:
#
#     pip install ./python
#
# This builds the library, so it needs CMake, a C compiler and libpng (on Debian and Ubuntu: `sudo apt install
# cmake gcc libpng-dev`); to run it needs numpy. This page is what
# [examples/python_notebook.py](../examples/python_notebook.py) writes when it runs. Jupyter and VS Code
# open that file as a notebook.
#
# ## A first mountain

# %%
import ravine

land = ravine.terrain(size=256, cell=20).noise(seed=11, frequency=0.35, relief=1200)
land.droplets(drops="100k", border="apron").thermal(talus=38)

# %% [markdown]
# Land is shown as a picture in notebooks. Steps change the land and return it, so that they can be chained; `land.copy()`
# keeps what was. `help(ravine.Land.droplets)` says what each parameter is; editors know their types.
#
# ## Fields are arrays

# %%
height, flow = land["height"], land["flow"]
print(land.fields)
print(height.shape, height.dtype, "%.0f to %.0f m" % (height.min(), height.max()))

# %% [markdown]
# Row 0 is the north edge, heights are metres. No copy is made: the array is the land's own memory, read-only, and stays
# valid and unchanged as long as you keep it, whatever happens to the land. (While you keep it, the next step works on a
# copy of the land, so let go of large arrays that you no longer need.)

# %%
land.picture("paint", field="flow")

# %% [markdown]
# `land.picture(STEP, ...)` is what [hillshade, paint](views.md), [render or texture](render.md) would write to a file.
#
# ## Your own heights, hardness and masks
#
# Any array of rows and columns becomes land, and any field can be set. Here a hill from numpy; the field `hardness`
# keeps its western half as it was.

# %%
import numpy as np

y, x = np.mgrid[-1:1:256j, -1:1:256j]
hill = ravine.Land(500 * np.exp(-4 * (x**2 + 1.5 * y**2)), cell=12)
hill.noise(mode="add", seed=5, frequency=1.5, relief=80)
hill["hardness"] = np.clip(0.5 - 8 * x, 0, 1)
hill.droplets(drops="60k", capacity=3)
hill.picture("render", look="clay", width=640, height=360, azimuth=180, sun=250, altitude=25)

# %% [markdown]
# Heights that are NaN are refused; `ravine.Land(heights, holes="keep")` takes them as holes, as `open` does.
#
# ## Where the material went

# %%
book = land.ledger  # cubic metres, all steps together; land.report["ledger"] is of the last one
print({name: round(volume / 1e6, 1) for name, volume in book.items()})
print("missing: %.1e" % abs(1 - (book["deposited"] + book["left_map"] + book["suspended"]) / book["eroded"]))

# %% [markdown]
# ## Is it real?
#
# `measure` compares land with real land that rivers have cut ([measure.md](measure.md)).

# %%
land.measure()
print(land.checks)
print("relief %.0f m, concavity %.2f" % (land.figures["relief"], land.figures["concavity"]))

# %% [markdown]
# ## Recipes
#
# A recipe, as text or a file, runs as in the program; more words change it. The hash is the program's.

# %%
small = ravine.run("terrain size=128 noise seed=7 droplets drops=20k", "noise.seed=8")
print(small.hash)
for report in small.reports:
    print(report["step"], report["turns"], report["hash"])

# %% [markdown]
# `ravine.Recipe("alps.rv").plan()` says what a run would need, `.steps` what it consists of. `run(..., checkpoint="run.save")`
# saves the run now and then, and `ravine.resume("run.save")` goes on.
#
# ## Progress, stop, errors
#
# What takes longer than half a second shows a bar, in a notebook or on a terminal; `progress=False` shows none. Ctrl-C, or
# the stop button of a notebook, ends a step within a tenth of a second and leaves the land whole. Or watch it yourself:

# %%
frames = []

def look(now):
    if now.height() is not None:
        frames.append(now.height())
    return now.done < 0.5  # False: stop

try:
    land.copy().droplets(drops="1M", progress=look)
except ravine.Cancelled as stopped:
    print(stopped, len(frames) > 0)

# %% [markdown]
# Whatever goes wrong is an exception with one sentence. All are `ravine.Error`; a wrong word is also a `ValueError`, a file
# that cannot be read or written an `OSError`, and too little memory a `MemoryError`.

# %%
try:
    land.noise(relif=900)
except ravine.UsageError as error:
    print(error)

# %% [markdown]
# ## Many at once
#
# Python's lock is released while a step runs, so lands run side by side in threads. Any number of threads gives the same bits,
# and so does a device of OpenCL, such as a GPU, for the steps that can run there ([gpu.md](gpu.md)): `device="auto"`,
# `"gpu"` or a number of `ravine.devices()`, where `threads=` may stand.

# %%
from concurrent.futures import ThreadPoolExecutor

def relief_after(erosion):
    young = ravine.terrain(size=128, cell=48, threads=1).noise(seed=3, frequency=0.15, relief=400)
    return np.ptp(young.rivers(erosion=erosion, steps=20)["height"])

with ThreadPoolExecutor() as pool:
    print(["%.0f m" % relief for relief in pool.map(relief_after, [4, 8, 16])])

# %% [markdown]
# Land can be pickled for other processes, but for land with `strata` or with hardness in three
# dimensions; its ledger starts anew there.
#
# ## Scenes
#
# Water that erodes closed meshes ([solid.md](solid.md)): a preset, a file or words.

# %%
scene = ravine.Scene("river", "width=560", "height=350")
scene.step(300)

# %%
rock, water = scene.mesh(), scene.particles
print(rock, water["positions"].shape, rock.faults())

# %% [markdown]
# `land.mesh(depth=50)` makes such a mesh of a land: `points` and `faces` are arrays, `save` writes .obj, .ply, .stl or .glb.
#
# ## landlab
#
# Where landlab is installed, its grids go in and out; rows are turned over, closed nodes are holes:
#
# ```python
# land = ravine.from_landlab(grid)              # a RasterModelGrid with "topographic__elevation"
# grid = land.droplets().to_landlab(fields=["flow"])
# ```
#
# ## For packagers
#
# The wheel holds `libravine.so` and works with every Python from 3.9 on (`py3-none-linux_x86_64`). With
# `RAVINE_LIBRARY=PATH` it takes a library that is built already. No network is needed: `pip install --no-build-isolation
# --no-index ./python`.
