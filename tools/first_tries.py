#!/usr/bin/env python3
"""Writes docs/first-tries.md and its sheets: every make and wear step without a parameter.

RAVINE=path/to/ravine tools/first_tries.py [STEP ...] [CELLS ...]   (else all, 256 512 1024 2048; needs numpy)

Of steps that are not named, sheets and lines of the table stay as they are.

Each sheet shows a step on plain, ridged and billow noise and on real land (columns), 5.1 km with
256, 512, 1024 and 2048 cells (rows), as crops of 128 x 128 cells around the middle, lit from the north-west.
"""
import heapq, os, struct, subprocess, sys, tempfile, zlib
import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
RAVINE = os.path.abspath(os.environ.get("RAVINE", os.path.join(ROOT, "build/release/ravine")))
MAKE, WEAR = ["noise", "faults", "cone"], ["droplets", "particles", "runoff", "pipes", "thermal", "rivers"]
LANDS = ["plain", "ridged", "billow", "Andes"]
EXTENT, CROP = 5120.0, 128  # m, cells


def ravine(words, made):
    """The heights of the .npy files `made` that a recipe writes."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([RAVINE, "--quiet"] + words, cwd=folder, check=True)
        return [np.load(os.path.join(folder, name)).astype(float) for name in made]


def start(land, cells):
    """Words that make a land of so many cells. Real land is a window of SRTM data, its cells of 85.4 m drawn
    finer; it is 21.9 km wide."""
    if land == "Andes":
        file = os.path.join(ROOT, "tests/data/andes.png")
        return ["open", file, "resize", f"width={cells}"], 255 * 85.4 / (cells - 1)
    cell = EXTENT / cells
    return ["terrain", f"size={cells}", f"cell={cell:g}", "noise", f"shape={land}"], cell


def shade(z, cell):
    gy, gx = np.gradient(z, cell)
    light = (0.7071 + 0.5 * (gx + gy)) / np.sqrt(1 + gx * gx + gy * gy)
    light = light[1:-1, 1:-1] if min(z.shape) > CROP + 2 else light
    top, left = (light.shape[0] - CROP) // 2, (light.shape[1] - CROP) // 2
    return (255 * np.clip(light[top:top + CROP, left:left + CROP], 0, 1)).astype("uint8")


def write_png(path, grey):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = b"".join(b"\0" + row.tobytes() for row in grey)
    head = struct.pack(">IIBBBBB", grey.shape[1], grey.shape[0], 8, 0, 0, 0, 0)
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b""))


def diagonal(change, radius=np.inf):
    """Of the cells within `radius` cells of the middle. Smoothed by 1 2 1, then slopes by differences of sixth order: np.gradient sees less of narrow waves along the
    axes than of those along the diagonals, and makes 1.24 of even lines that are three cells wide."""
    def smooth(z):
        return (z[:-2] + 2 * z[1:-1] + z[2:]) / 4

    def slope(z):
        return (45 * (z[4:-2] - z[2:-4]) - 9 * (z[5:-1] - z[1:-5]) + (z[6:] - z[:-6])) / 60
    change = smooth(smooth(change).T).T
    gx, gy = slope(change.T).T[3:-3], slope(change)[:, 3:-3]
    off = np.arange(gx.shape[0]) - (gx.shape[0] - 1) / 2
    energy = (gx * gx + gy * gy) * (off[:, None] ** 2 + off ** 2 <= radius ** 2)
    angle = np.degrees(np.arctan2(gy, gx)) % 90
    return 4 * energy[abs(angle - 45) <= 11.25].sum() / energy.sum()


def turned(z):
    """The land turned by 45 degrees around its middle, by cubic convolution (Keys 1981). What was in the disc that fits
    into the map still is; the corners are mirrored land."""
    last, middle = z.shape[0] - 1, (z.shape[0] - 1) / 2
    off = np.sqrt(0.5) * (np.arange(last + 1) - middle)
    x, y = middle + (off - off[:, None]), middle + (off + off[:, None])

    def part(at, step):
        cell = np.floor(at).astype(int) + step
        d = abs(at - cell)
        weight = np.where(d < 1, (1.5 * d - 2.5) * d * d + 1, ((2.5 - 0.5 * d) * d - 4) * d + 2)
        return weight, np.where(cell < 0, -cell, np.where(cell > last, 2 * last - cell, cell))
    sum = np.zeros(z.shape)
    for dy in range(-1, 3):
        wy, row = part(y, dy)
        for dx in range(-1, 3):
            wx, column = part(x, dx)
            sum += wy * wx * z[row, column]
    return sum


def own_diagonal(step, change, before, cell):
    """What of it is the step's own: the mean of what it is on the land and on the land turned by 45 degrees."""
    radius = change.shape[0] / 2 - 8
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "turned.npy")
        np.save(file, turned(before).astype("f4"))
        start, after = ravine(["open", file, f"cell={cell:.9g}", "save", "b.npy", step, "save", "a.npy"], ["b.npy", "a.npy"])
    return (diagonal(change, radius) + diagonal(after - start, radius)) / 2


def pits(z, deep=5.0):
    """Separate pits deeper than `deep` m, by a priority flood. Around the map lies a ring that is never reached."""
    width = z.shape[1] + 2
    ground = np.pad(z, 1).ravel().tolist()
    reached = np.pad(np.zeros(z.shape, bool), 1, constant_values=True).ravel().tolist()
    around = [-width - 1, -width, -width + 1, -1, 1, width - 1, width, width + 1]
    inner = np.pad(np.zeros((z.shape[0] - 2, z.shape[1] - 2), bool), 1, constant_values=True)
    edge = np.flatnonzero(np.pad(inner, 1))
    level, queue = list(ground), [(ground[i], int(i)) for i in edge]
    for _, i in queue:
        reached[i] = True
    heapq.heapify(queue)
    while queue:
        v, i = heapq.heappop(queue)
        for j in (i + step for step in around):
            if not reached[j]:
                reached[j] = True
                level[j] = max(ground[j], v)
                heapq.heappush(queue, (level[j], j))
    depth, found = [a - b for a, b in zip(level, ground)], 0
    for i in (i for i, d in enumerate(depth) if d > 0):
        stack, deepest = [i], 0.0
        while stack:
            j = stack.pop()
            deepest = max(deepest, depth[j])
            near = [j + step for step in around if depth[j] > 0 and depth[j + step] > 0]
            depth[j] = 0.0
            stack += near
        found += deepest > deep
    return found


def blocks(change, cell, extent):
    """Means over blocks of extent / CROP around the places that are as far apart: the same at any cell size. (Cell i is
    at i cells from the edge; blocks of whole cells would lie a quarter of a cell further in the finer map.)"""
    at = cell * np.arange(change.shape[0])
    wide = extent / CROP
    centre = wide * np.arange(CROP)[:, None]
    part = np.minimum(at + cell / 2, centre + wide / 2) - np.maximum(at - cell / 2, centre - wide / 2)
    part = np.maximum(part, 0)
    part /= part.sum(1, keepdims=True)
    return part @ change @ part.T


def wear_sheet(step, sizes):
    rows, lines = [], []
    for land in LANDS:
        column, last = [], None
        for cells in sizes:
            words, cell = start(land, cells)
            before, after = ravine(words + ["save", "b.npy", step, "save", "a.npy"], ["b.npy", "a.npy"])
            column.append(shade(after, cell))
            change, relief = after - before, np.ptp(before)
            at = blocks(change, cell, 255 * 85.4 if land == "Andes" else EXTENT)
            agree = ""
            if last is not None:
                agree = f"{100 * np.sqrt(((at - last) ** 2).mean()) / relief:.2f} %, {np.corrcoef(at.ravel(), last.ravel())[0, 1]:.3f}"
            last = at
            new = f"{pits(after) - pits(before):+d}" if cells == 512 else ""
            favoured = diagonal(change)
            own = "" if 0.9 <= favoured <= 1.15 else f", own {own_diagonal(step, change, before, cell):.2f}"
            lines.append(f"| {step} | {land} | {cells} | {np.sqrt((change ** 2).mean()):.2f} m | {favoured:.2f}{own} | {new} | {agree} |")
            print(lines[-1], flush=True)
        rows.append(np.vstack(column))
    write_png(os.path.join(ROOT, f"docs/pictures/first-{step}.png"), np.hstack(rows))
    return lines


def make_sheet(step, sizes):
    shapes = LANDS[:3] if step == "noise" else [""]
    rows = []
    for shape in shapes:
        words = [f"shape={shape}"] if shape else []
        rows.append(np.vstack([shade(*ravine(["terrain", f"size={n}", f"cell={EXTENT / n:g}", step] + words +
                                             ["save", "a.npy"], ["a.npy"]), EXTENT / n) for n in sizes]))
    write_png(os.path.join(ROOT, f"docs/pictures/first-{step}.png"), np.hstack(rows))


PAGE = """# First tries

Every step that makes or wears land, without a parameter. Made by `tools/first_tries.py`, which also measures.

Columns: plain, ridged and billow `noise`, and a window of the Andes (SRTM data of NASA, public domain, 85.4 m cells
drawn finer). Rows: the same land with {sizes} cells; crops of 128 x 128 cells around the middle.

{sheets}
## Measured

Change: rms of what the step changes. Diagonal: energy of the gradient of the change near 45 and 135 degrees, relative
to even; 0.9 to 1.15 is good. Slopes are differences of sixth order of the smoothed change: those of two neighbours
would give 1.24 for even lines three cells wide. Where it is out of that range the step also wears the land turned by 45
degrees: what the land itself favours turns with it, what the grid favours does not, and the mean of the two is the step's
own. (Of the Andes thermal moves the steepest places, which are few.) New pits: those deeper than 5 m, after less before, at 512 cells.
Agreement: difference to the change at half the size, in % of the relief, and correlation, both as means over 128 x 128
blocks with the same centres; 2 % and 0.97 are good.

`rivers` holds to 2 % and 0.97 here; other seeds and other extents, where a pass is as low as another, may send a large river
elsewhere: of plain `noise basis=perlin` on a quarter of the land (128 and 256 cells) it differs by 3.6 %. The recipes differ from
256 to 512 cells by at most 0.9 % of the relief, and by less from there on, see `bench/recipe_sizes.sh`.

| step | land | cells | change | diagonal | new pits | agreement |
|---|---|---|---|---|---|---|
{table}
"""


def old_lines():
    """The lines of the table that is there, by step."""
    lines = {}
    with open(os.path.join(ROOT, "docs/first-tries.md"), encoding="utf-8") as page:
        for line in page.read().split("\n"):
            lines.setdefault(line.split(" ")[1] if line.startswith("| ") else "", []).append(line)
    return lines


def main():
    steps = [word for word in sys.argv[1:] if not word.isdigit()] or MAKE + WEAR
    sizes = [int(word) for word in sys.argv[1:] if word.isdigit()] or [256, 512, 1024, 2048]
    for step in MAKE:
        if step in steps:
            make_sheet(step, sizes)
    old = old_lines()
    table = [line for step in WEAR for line in (wear_sheet(step, sizes) if step in steps else old[step])]
    sheets = "".join(f"## {step}\n\n![](pictures/first-{step}.png)\n\n" for step in MAKE + WEAR)
    with open(os.path.join(ROOT, "docs/first-tries.md"), "w", encoding="utf-8") as page:
        page.write(PAGE.format(sizes=", ".join(map(str, sizes)), sheets=sheets, table="\n".join(table)))


main()
