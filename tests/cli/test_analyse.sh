# `analyse` writes streams as GeoJSON and CSV that say the same, and what is wrong is said before work.
. "$SOURCE/tests/cli/common.sh"

land="terrain size=64 cell=20 noise seed=7"
# shellcheck disable=SC2086
said=$("$RAVINE" $land analyse channel=20 geojson=s.geojson csv=s.csv save order.npy field=stream_order 2>&1)
holds "what is printed" "$said" "streams "

cat > check.py << 'PYTHON'
import csv, json, math, struct

features = json.load(open("s.geojson"))["features"]
rows = list(csv.DictReader(open("s.csv")))
data = open("order.npy", "rb").read()
order = struct.unpack("<%df" % (64 * 64), data[-4 * 64 * 64:])

streams = {}
for row in rows:
    streams.setdefault(int(row["stream"]), []).append(row)
assert len(features) == len(streams) > 20
assert sum(order_of > 0 for order_of in order) == len(rows)  # each channel cell once
for number, feature in enumerate(features, 1):
    p, g = feature["properties"], feature["geometry"]
    cells = streams[number]
    assert p["stream"] == number and all(int(c["order"]) == p["order"] for c in cells)
    places = g["coordinates"] if g["type"] == "LineString" else [g["coordinates"]]
    for c, place in zip(cells, places):
        assert [float(c["x_m"]), float(c["y_m"]), float(c["height_m"])] == place
        x, y = int(float(c["x_m"]) / 20), 63 - int(float(c["y_m"]) / 20)
        assert order[64 * y + x] == p["order"]
    # Neighbours, and as long as it says.
    length = sum(math.dist(a[:2], b[:2]) for a, b in zip(places, places[1:]))
    assert all(math.dist(a[:2], b[:2]) < 29 for a, b in zip(places, places[1:]))
    assert abs(length - p["length_m"]) < 1e-3
    assert abs(length - (float(cells[0]["to_outlet_m"]) - float(cells[-1]["to_outlet_m"]))) < 29
    assert abs(places[0][2] - places[-1][2] - p["drop_m"]) < 1e-3
    assert float(cells[-1]["area_m2"]) == p["area_m2"]
    if p["to"]:  # it ends in a cell of a stream of higher order
        last = places[-1]
        into = streams[p["to"]]
        assert int(into[0]["order"]) > p["order"]
        assert any([float(c["x_m"]), float(c["y_m"])] == last[:2] for c in into)
    else:
        assert len(places) == len(cells) and float(cells[-1]["to_outlet_m"]) == 0
PYTHON
python3 check.py || fail "the files of streams do not agree"

# The K and m of landlab and fastscape: 8 mm a year at 1 km2 is 0.008 (1e6 m2)^-0.45.
said=$("$RAVINE" terrain size=32 noise rivers steps=2 2>&1)
holds "K of rivers" "$said" "1.6e-05 m^(1-2m)/year"
holds "K of rivers" "$("$RAVINE" --json terrain size=32 noise rivers steps=2 erosion=8 area_power=0.5)" '"K":8'

# Bad input, before the first step.
refuse() {
    local why=$1
    shift
    said=$("$RAVINE" terrain size=32 noise save before.png "$@" 2>&1) && fail "$why is not refused"
    holds "$why" "$said" "$why"
    [ ! -e before.png ] || fail "$why: work had begun"
}
refuse "must end in .geojson" analyse geojson=streams.png
refuse "must end in .csv" analyse csv=streams.txt
refuse "no-such-folder" analyse csv=no-such-folder/streams.csv
finish
