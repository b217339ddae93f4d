"""Meshes and images of Blender as arrays, and back."""
import bpy
import numpy as np


class NoGrid(Exception):
    """A mesh that is not a grid of square cells; the text says why."""


def scale_of(thing):
    return np.array(thing.matrix_world.to_scale(), dtype=np.float64)


def points_of(mesh):
    points = np.empty(len(mesh.vertices) * 3, dtype=np.float32)
    mesh.vertices.foreach_get("co", points)
    return points.reshape(-1, 3)


def _lines(values, what):
    """Which line of the grid each value lies on, how many there are, and their distance."""
    order = np.sort(values)
    extent = order[-1] - order[0]
    if not extent > 0:
        raise NoGrid(f"The mesh has no extent along {what}.")
    count = 1 + int((np.diff(order) > extent * 1e-5).sum())
    step = extent / (count - 1)
    line = np.rint((values - order[0]) / step).astype(np.int64)
    if np.abs(values - (order[0] + line * step)).max() > step * 1e-2:
        raise NoGrid(f"The vertices do not lie at even distances along {what}.")
    return line, count, step


class Grid:
    """A mesh as rows of heights, from north (+y) to south, in metres; it knows which vertex each
    is."""

    def __init__(self, thing, metres):
        points = points_of(thing.data).astype(np.float64) * scale_of(thing) * metres
        if len(points) < 4:
            raise NoGrid("The mesh has fewer than four vertices.")
        column, columns, dx = _lines(points[:, 0], "x")
        row, rows, dy = _lines(points[:, 1], "y")
        if rows * columns != len(points):
            raise NoGrid(
                f"The mesh is no grid: {len(points)} vertices are not {rows} rows of {columns}. "
                "Add > Mesh > Grid makes one."
            )
        if abs(dx - dy) > 0.01 * dx:
            raise NoGrid(f"Cells must be square; those of the mesh are {dx:.4g} x {dy:.4g} m.")
        place = (rows - 1 - row) * columns + column
        if np.bincount(place, minlength=len(points)).max() > 1:
            raise NoGrid("Two vertices of the mesh lie above each other.")
        self.shape, self.cell, self._place = (rows, columns), float(dx), place
        self._unit = scale_of(thing)[2] * metres
        self.heights = self.rows(points[:, 2])

    def rows(self, values):
        """Values of the vertices as rows."""
        out = np.empty(len(values), dtype=np.float32)
        out[self._place] = values
        return out.reshape(self.shape)

    def vertices(self, rows):
        """Rows as values of the vertices."""
        return np.ascontiguousarray(rows).reshape(-1)[self._place]

    def weights(self, thing, group):
        """A vertex group as rows; None: no group is named."""
        if not group:
            return None
        if group not in thing.vertex_groups:
            raise NoGrid(f'{thing.name} has no vertex group "{group}".')
        index = thing.vertex_groups[group].index
        values = np.zeros(len(thing.data.vertices), dtype=np.float32)
        for vertex in thing.data.vertices:
            for element in vertex.groups:
                if element.group == index:
                    values[vertex.index] = element.weight
        return self.rows(values)

    def set_heights(self, mesh, heights):
        """What has not changed stays as it is, to the last bit."""
        points, changed = points_of(mesh), self.vertices(heights != self.heights)
        points[changed, 2] = self.vertices(heights)[changed] / self._unit
        mesh.vertices.foreach_set("co", points.reshape(-1))
        mesh.update()


def mesh_of(name, points, corners):
    """A mesh of faces with equally many corners."""
    mesh = bpy.data.meshes.new(name)
    count, size = corners.shape
    mesh.vertices.add(len(points))
    mesh.vertices.foreach_set("co", np.ascontiguousarray(points, dtype=np.float32).reshape(-1))
    mesh.loops.add(count * size)
    mesh.loops.foreach_set(
        "vertex_index", np.ascontiguousarray(corners, dtype=np.int32).reshape(-1)
    )
    mesh.polygons.add(count)
    mesh.polygons.foreach_set("loop_start", np.arange(0, count * size, size, dtype=np.int32))
    if bpy.app.version < (4, 0, 0):  # later ones know it from the starts
        mesh.polygons.foreach_set("loop_total", np.full(count, size, dtype=np.int32))
    mesh.polygons.foreach_set("use_smooth", np.ones(count, dtype=bool))
    mesh.update(calc_edges=True)
    return mesh


def grid_mesh(name, heights, cell, metres):
    """A new grid around the origin, rows from north to south."""
    rows, columns = heights.shape
    x = (np.arange(columns) - (columns - 1) / 2) * cell / metres
    y = ((rows - 1) / 2 - np.arange(rows)) * cell / metres
    points = np.empty((rows, columns, 3), dtype=np.float32)
    points[..., 0], points[..., 1], points[..., 2] = x[None, :], y[:, None], heights / metres
    number = np.arange(rows * columns).reshape(rows, columns)
    corners = np.stack(
        [number[1:, :-1], number[1:, 1:], number[:-1, 1:], number[:-1, :-1]], axis=-1
    )
    return mesh_of(name, points.reshape(-1, 3), corners.reshape(-1, 4))


def strong(values):
    """0 to 1: 1 is what 2 % of the cells above 0 exceed, as in the step paint."""
    above = values[values > 0]
    return np.clip(values / np.quantile(above, 0.98), 0, 1) if len(above) else np.zeros_like(values)


def set_fields(mesh, fields):
    """Each field becomes an attribute of the vertices; eroded, deposited and flow (or water) also
    red, green and blue of the colours called Ravine."""
    for name, values in fields.items():
        old = mesh.attributes.get(name)
        if old is not None:
            mesh.attributes.remove(old)
        mesh.attributes.new(name, "FLOAT", "POINT").data.foreach_set("value", values)
    colours = np.ones((len(mesh.vertices), 4), dtype=np.float32)
    for channel, names in enumerate((("eroded",), ("deposited",), ("flow", "water"))):
        found = [fields[name] for name in names if name in fields]
        colours[:, channel] = strong(found[0]) if found else 0
    old = mesh.color_attributes.get("Ravine")
    if old is not None:
        mesh.color_attributes.remove(old)
    mesh.color_attributes.new("Ravine", "FLOAT_COLOR", "POINT").data.foreach_set(
        "color", colours.reshape(-1)
    )


def image_heights(image, low, high):
    """The red channel as rows from north to south, in metres."""
    width, height = image.size
    pixels = np.empty(width * height * image.channels, dtype=np.float32)
    image.pixels.foreach_get(pixels)
    return low + (high - low) * pixels.reshape(height, width, image.channels)[::-1, :, 0]


def image_of(name, heights, low, high):
    """A new image of floats, with the same black and white."""
    rows, columns = heights.shape
    image = bpy.data.images.new(name, columns, rows, float_buffer=True, is_data=True)
    pixels = np.ones((rows, columns, 4), dtype=np.float32)
    pixels[..., :3] = ((heights - low) / (high - low))[::-1, :, None]
    image.pixels.foreach_set(pixels.reshape(-1))
    image.update()
    image.pack()
    return image


def write_obj(path, thing):
    """A mesh object in world coordinates, as triangles."""
    mesh = thing.data
    mesh.calc_loop_triangles()
    corners = np.empty(len(mesh.loop_triangles) * 3, dtype=np.int32)
    mesh.loop_triangles.foreach_get("vertices", corners)
    points = np.c_[points_of(mesh), np.ones(len(mesh.vertices))] @ np.array(thing.matrix_world).T
    with open(path, "w") as file:
        np.savetxt(file, points[:, :3], fmt="v %.9g %.9g %.9g")
        np.savetxt(file, corners.reshape(-1, 3) + 1, fmt="f %d %d %d")
    return points[:, :3]
