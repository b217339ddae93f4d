# Reads the folder of `export engine=godot` in Godot 3 as its add-ons do: heights by the numbers of
# godot.txt, pictures as Image, trees from the JSON and the CSV; builds a HeightMapShape, and has it
# hold the heights. Prints "all passed" at the end.
extends SceneTree

var failures = 0

func check(good, what):
    if not good:
        failures += 1
        print("failed: ", what)

func read_text(path):
    var file = File.new()
    check(file.open(path, File.READ) == OK, path)
    var text = file.get_as_text()
    file.close()
    return text

func number_after(text, label, index):
    var at = text.find(label)
    check(at >= 0, label)
    var line = text.substr(at + label.length()).split("\n")[0]
    return float(line.strip_edges().split(",")[index])

func read_heights(path, count, low, high):
    var file = File.new()
    check(file.open(path, File.READ) == OK, path)
    check(file.get_len() == 2 * count, "the size of " + path)
    var heights = PoolRealArray()
    for _i in count:
        heights.append(low + (high - low) * file.get_16() / 65535.0)
    file.close()
    return heights

func read_floats(path, count):
    var file = File.new()
    check(file.open(path, File.READ) == OK, path)
    var values = PoolRealArray()
    for _i in count:
        values.append(file.get_float())
    file.close()
    return values

func check_picture(path, width, height):
    var image = Image.new()
    check(image.load(path) == OK, path)
    check(image.get_width() == width and image.get_height() == height, "the size of " + path)
    return image

# Where OpenEXR is installed, the same heights in metres; Godot 3 cuts them to halves, of 11 bits.
func check_exr(path, real, width):
    if not File.new().file_exists(path):
        print("there is no land.exr")
        return
    var image = check_picture(path, width, width)
    check(image.get_format() in [Image.FORMAT_RGBF, Image.FORMAT_RGBH], "land.exr is no picture of three channels")
    image.lock()
    for i in width * width:
        var c = image.get_pixel(i % width, i / width)
        if abs(c.r - real[i]) > abs(real[i]) / 1024.0 or c.g != c.r or c.b != c.r:
            check(false, "land.exr has %f, not %f" % [c.r, real[i]])
            break
    image.unlock()

func check_normals(image, heights, width, spacing):
    image.lock()
    var worst = 0.0
    for y in range(1, width - 1):
        for x in range(1, width - 1):
            var east = (heights[y * width + x + 1] - heights[y * width + x - 1]) / (2.0 * spacing)
            var south = (heights[(y + 1) * width + x] - heights[(y - 1) * width + x]) / (2.0 * spacing)
            var normal = Vector3(-east, south, 1.0).normalized()
            var c = image.get_pixel(x, y)
            var said = Vector3(2.0 * c.r - 1.0, 2.0 * c.g - 1.0, 2.0 * c.b - 1.0).normalized()
            worst = max(worst, rad2deg(normal.angle_to(said)))
    image.unlock()
    check(worst < 3.0, "normals differ by %f degrees" % worst)

func check_weights(folder, width):
    var images = []
    for name in ["rock", "grass", "sediment", "snow"]:
        var image = check_picture(folder + "/land_weight_" + name + ".png", width, width)
        image.lock()
        images.append(image)
    for i in range(0, width * width, 7):
        var sum = 0.0
        for image in images:
            sum += image.get_pixel(i % width, i / width).r
        if abs(sum - 1.0) > 0.02:
            check(false, "weights sum up to %f" % sum)
            return

func check_trees(folder, heights, width, spacing):
    var parsed = JSON.parse(read_text(folder + "/trees.json"))
    check(parsed.error == OK, "trees.json is no JSON")
    var rows = read_text(folder + "/trees.csv").strip_edges().split("\n")
    check(rows.size() > 2, "trees")
    for i in range(1, rows.size()):
        var row = rows[i].split(",")
        var x = int(round(float(row[0]) / spacing))
        var y = int(round(float(row[1]) / spacing))
        check(x >= 0 and x < width and y >= 0 and y < width, "a tree beside the land")
        check(abs(heights[y * width + x] - float(row[2])) < 3.0 * spacing, "a tree above the ground")

func _init():
    var words = OS.get_cmdline_args()
    var folder = words[words.size() - 2]
    var truth = words[words.size() - 1]
    var text = read_text(folder + "/godot.txt")
    var width = int(number_after(text, "R16 Size", 0))
    var low = number_after(text, "R16 Range", 0)
    var high = number_after(text, "R16 Range", 1)
    var spacing = float(text.substr(text.find("Vertex Spacing") + 14).strip_edges().split(" ")[0])
    check(width == 129 and abs(spacing - 2.0) < 1e-6, "godot.txt")
    var heights = read_heights(folder + "/land.r16", width * width, low, high)
    var real = read_floats(truth, width * width)
    var worst = 0.0
    for i in width * width:
        worst = max(worst, abs(heights[i] - real[i]))
    check(worst <= 0.51 * (high - low) / 65535.0 + 1e-4, "heights differ by %f m" % worst)
    check_exr(folder + "/land.exr", real, width)
    var shape = HeightMapShape.new()
    shape.map_width = width
    shape.map_depth = width
    shape.map_data = heights
    check(shape.map_data.size() == width * width, "the HeightMapShape")
    check_normals(check_picture(folder + "/land_normal.png", width, width), real, width, spacing)
    check_picture(folder + "/land_mask_flow.png", width, width)
    check_weights(folder, width)
    check_trees(folder, real, width, spacing)
    if failures == 0:
        print("all passed")
    quit()
