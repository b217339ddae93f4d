#!/usr/bin/env bash
# Maps as GDAL makes and sees them: every raster it writes is read to the bit, what is written here it
# reads to the bit, with place, projection and cells without a height; real land comes through whole.
. "$SOURCE/tests/cli/common.sh"
ravine() {
    "$RAVINE" --quiet "$@"
}

# ---- without GDAL: real land, whose cells are no squares ----
"$RAVINE" open "$SOURCE/tests/data/andes.asc" measure save squares.npy 2> said || fail "real land"
holds "squares" "$(cat said)" "were resampled to 72 x 85 squares of 78.15 m"
ravine open "$SOURCE/tests/data/san_gabriel.asc" save real.asc save real.tif tiff=plain save real.npy || fail "real land"
for file in real.asc real.tif; do
    ravine open $file save again.npy
    cmp real.npy again.npy || fail "$file: other heights"
done
equal "the file itself" "$(tail -n +7 real.asc | tr -s ' \n' '\n\n' | head -n 20)" \
    "$(tail -n +7 "$SOURCE/tests/data/san_gabriel.asc" | tr -s ' \n' '\n\n' | head -n 20)"

# What was saved here is squares, however small, and is not resampled when it comes back.
ravine terrain size=40 cell=0.002 noise relief=0.05 save tiny.asc save tiny.tif tiff=plain save tiny.npy || fail "tiny land"
for file in tiny.asc tiny.tif; do
    "$RAVINE" --quiet open $file save again.npy || fail "$file"
    cmp tiny.npy again.npy || fail "$file: other heights"
done
# A .prj that belongs to another map stays as it is.
echo 'GEOGCS["another"]' > theirs.prj
if ravine terrain size=16 noise save theirs.asc 2> said; then
    fail "a .prj of another map was taken for one's own"
fi
holds "another projection" "$(cat said)" "theirs.prj: holds another projection and was not changed"
equal "the .prj" "$(cat theirs.prj)" 'GEOGCS["another"]'
[ ! -e theirs.asc ] || fail "and yet it was saved"
ravine terrain size=16 noise save theirs.asc overwrite=yes || fail "overwrite=yes"

if ! command -v gdal_translate gdalinfo gdalwarp gdalbuildvrt > which; then
    echo "GDAL's programs are not here: maps were compared with themselves only."
    finish
fi

# GDAL throws C++ exceptions. The address sanitizer follows them only where libstdc++ was there from the start.
export LD_PRELOAD=libstdc++.so.6

# values FILE: the heights as GDAL reads them, as bytes
values() {
    rm -f values.bin*
    gdal_translate -q -of ENVI -ot Float32 "$1" values.bin && cat values.bin
}
# same NAME FILE ARRAY: GDAL reads the values of a .npy in it
same() {
    values "$2" > seen
    tail -c +129 "$3" | cmp -s - seen || fail "$1: other heights"
}
# facts FILE: where it lies
facts() {
    gdalinfo "$1" | grep -E '^(Origin|Pixel Size)'
}

ravine terrain size=90 width=123 height=77 cell=30 noise relief=2000 save land.npy save local.tif tiff=plain || fail save
gdal_translate -q -a_srs EPSG:32632 -a_ullr 500000 5200000 503690 5197690 local.tif map.tif
place='Origin = (500000.000000000000000,5200000.000000000000000)
Pixel Size = (30.000000000000000,-30.000000000000000)'

# ---- what GDAL writes is read ----
# read_one NAME OPTIONS...: heights, place and projection come through (unit.maps has all kinds)
read_one() {
    local name=$1 info
    shift
    gdal_translate -q "$@" map.tif one.tif || fail "$name: gdal_translate"
    ravine open one.tif save one.npy save back.tif tiff=plain || { fail "$name: open"; return; }
    same "$name" one.tif one.npy
    info=$(gdalinfo back.tif)
    equal "$name: place" "$(echo "$info" | grep -E '^(Origin|Pixel Size)')" "$place"
    holds "$name: projection" "$info" 'WGS 84 / UTM zone 32N'
}
read_one tiles -co COMPRESS=DEFLATE -co PREDICTOR=3 -co TILED=YES -co BLOCKXSIZE=32 -co BLOCKYSIZE=16
same written back.tif land.npy
read_one big_int16 -ot Int16 -co COMPRESS=DEFLATE -co PREDICTOR=2 -co ENDIANNESS=BIG
read_one bigtiff -of COG -co COMPRESS=DEFLATE -co BIGTIFF=YES
gdal_translate -q -of AAIGrid -co DECIMAL_PRECISION=3 map.tif grid.asc
ravine open grid.asc save grid.npy save copy.asc || fail "open grid.asc"
same grid grid.asc grid.npy
equal "grid: place" "$(facts copy.asc)" "$place"
cmp -s grid.prj copy.prj || fail "copy.prj is another projection"

# ---- cells without a height ----
gdalwarp -q -dstnodata -32768 -te 499700 5198500 501500 5200300 -tr 30 30 map.tif beyond.tif
"$RAVINE" open beyond.tif save beyond.npy save holes.tif tiff=plain save holes.asc save hole.npy field=hole 2> said || fail beyond
holds "holes" "$(cat said)" "of 3600 cells have no height; they are holes"
for file in holes.tif holes.asc; do
    equal "$file: the same cells" "$(gdalinfo -stats $file | grep -E 'Minimum|VALID|NoData V' | tr -s ' ')" \
        "$(gdalinfo -stats beyond.tif | grep -E 'Minimum|VALID|NoData V' | tr -s ' ')"
done
ravine open holes.tif save again.npy field=hole || fail "holes again"
cmp hole.npy again.npy || fail "other holes"

# ---- through steps ----
ravine open map.tif crop x=10 y=20 width=61 height=31 resize size=121 save part.tif tiff=plain || fail part
equal "crop and resize" "$(facts part.tif)" \
    'Origin = (500307.500000000000000,5199392.500000000000000)
Pixel Size = (15.000000000000000,-15.000000000000000)'

# ---- streams lie on their map ----
ravine open map.tif analyse channel=50 geojson=streams.geojson || fail "streams"
ogrinfo -so streams.geojson streams > said 2>&1 || ogrinfo -so -al streams.geojson > said 2>&1
holds "streams" "$(cat said)" "UTM zone 32N"
python3 - << 'END' || fail "streams lie beside the map"
import json
lines = json.load(open('streams.geojson'))['features']
places = [p for f in lines if f['geometry']['type'] == 'LineString' for p in f['geometry']['coordinates']]
assert len(places) > 20
assert all(500015 <= x <= 503675 and 5197705 <= y <= 5199985 for x, y, z in places)
assert all((x - 500015) % 30 == 0 and (y - 5199985) % 30 == 0 for x, y, z in places)
END

# ---- what needs the library, and degrees ----
gdal_translate -q -co COMPRESS=LZW map.tif lzw.tif
if "$RAVINE" --dry-run terrain size=4 save x.tif tiff=cog > said 2>&1; then
    ravine open lzw.tif save lzw.npy || fail "open lzw.tif"
    cmp land.npy lzw.npy || fail "lzw.tif: other heights"
    gdalbuildvrt -q two.vrt map.tif
    "$RAVINE" open two.vrt save two.npy save cog.tif 2> said || fail "open two.vrt"
    cmp land.npy two.npy || fail "two.vrt: other heights"
    holds "who writes" "$(cat said)" "cog.tif: will be a cloud-optimised GeoTIFF, written by GDAL"
    info=$(gdalinfo cog.tif)
    holds "cog" "$info" 'COMPRESSION=DEFLATE*LAYOUT=COG'
    equal "cog: place" "$(echo "$info" | grep -E '^(Origin|Pixel Size)')" "$place"
    same cog cog.tif land.npy
    ravine open cog.tif save cog.npy || fail "open cog.tif"
    cmp land.npy cog.npy || fail "cog.tif: other heights here"
    ravine terrain size=1025 noise save large.tif || fail large
    holds "overviews" "$(gdalinfo large.tif)" 'Overviews: 512x512'
    python3 -c "
import struct
rows = [struct.pack('>1201h', *[100 + (x * y) % 900 for x in range(1201)]) for y in range(1201)]
open('N46E009.hgt', 'wb').write(b''.join(rows))"
    "$RAVINE" open N46E009.hgt 2> said && fail "degrees were taken for metres"
    holds "degrees" "$(cat said)" "gdalwarp -t_srs EPSG:32632 -tr 93 93 -r cubic N46E009.hgt metres.tif"
    $(sed -n 's/.*\(gdalwarp.*metres.tif\) makes.*/\1/p' said) > warped || fail "the command of the sentence"
    ravine open metres.tif measure || fail "metres.tif"
else
    echo "libgdal is not here: what needs it was left out."
fi

# ---- none to load ----
if [ -z "${RAVINE_SHORT:-}" ] && echo 'void *dlopen(const char *f, int m); void *dlopen(const char *f, int m) { (void)f; (void)m; return 0; }' |
    cc -shared -fPIC -x c - -o none.so 2> said; then
    LD_PRELOAD=$PWD/none.so "$RAVINE" open lzw.tif 2> said && fail "lzw.tif without GDAL"
    holds "no GDAL" "$(cat said)" "lzw.tif has another compression, which needs GDAL, and no libgdal is installed here"
    LD_PRELOAD=$PWD/none.so "$RAVINE" open map.tif save plain.tif 2> said || fail "plain.tif without GDAL"
    holds "no GDAL" "$(cat said)" "plain.tif: will be a plain GeoTIFF, because no GDAL is installed here"
    same plain plain.tif land.npy
    LD_PRELOAD=$PWD/none.so "$RAVINE" open map.tif save x.tif tiff=cog 2> said && fail "tiff=cog without GDAL"
    holds "no GDAL" "$(cat said)" "tiff=cog needs GDAL"
fi
finish
