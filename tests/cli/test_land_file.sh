#!/usr/bin/env bash
# A land file is read by NumPy, and what NumPy writes is read as land.
. "$SOURCE/tests/cli/common.sh"
python=python3
$python -c 'import numpy' 2> said || python=/usr/bin/python3
$python -c 'import numpy' || { echo "python3-numpy is missing"; exit 1; }

"$RAVINE" --quiet terrain width=40 height=30 cell=12.5 noise layer name=soil talus=33 layer name=sand thickness=1 \
    strata droplets drops=500 flood save land.npz save height.npy save soil.npy field=soil save flow.npy field=flow ||
    fail "save"
[ ! -e land.npz.ravine.json ] || fail "a land file has no sidecar"

$python - > said 2>&1 <<'END' || fail "NumPy: $(cat said)"
import numpy
land = numpy.load('land.npz')
assert land.zip.testzip() is None
names = [name.decode() for name in land['layers']]
assert names == ['bedrock', 'soil', 'sand'], names
assert land['cell'] == 12.5 and land['hash'].dtype == numpy.uint64
assert land['talus'].tolist() == [35, 33, 34] and land['erodibility'].shape == (3,)
surface = land['layer/bedrock']
for name in names[1:]:
    surface = surface + land['layer/' + name]
assert surface.dtype == numpy.float32 and (surface == numpy.load('height.npy')).all()
assert (land['layer/soil'] == numpy.load('soil.npy')).all()
assert (land['field/flow'] == numpy.load('flow.npy')).all()
assert land['ledger'].shape == (6,) and land['ledger'][0] > 0
all = dict(land)
numpy.savez('again.npz', **all)
numpy.savez_compressed('packed.npz', **all)
all['layer/sand'] = numpy.asfortranarray(all['layer/sand'].astype('>f8'))
numpy.savez('types.npz', **all)
all['field/flow'] = all['field/flow'] + 1
numpy.savez('changed.npz', **all)
del all['hash']
numpy.savez('new.npz', **all)
numpy.savez('own.npz', cell=30.0, height=numpy.arange(12.0).reshape(3, 4))
numpy.savez('two.npz', cell=30, layers=numpy.array([b'bedrock', b'snow']),
            **{'layer/bedrock': numpy.zeros((3, 4)), 'layer/snow': numpy.ones((3, 4), int)})
END

hash=$(last_hash open land.npz)
equal "written by NumPy" "$(last_hash open again.npz)" "$hash"
equal "other types of the same numbers" "$(last_hash open types.npz)" "$hash"
holds "compressed" "$("$RAVINE" open packed.npz 2>&1)" 'is compressed, which Ravine does not read'
holds "changed" "$("$RAVINE" open changed.npz 2>&1)" 'leave hash out'
[ "$(last_hash open new.npz)" != "$hash" ] || fail "a changed field is the same land"
holds "heights alone" "$("$RAVINE" open own.npz 2>&1)" '4 x 3 cells of 30 m'
"$RAVINE" --quiet open two.npz save snow.npy field=snow || fail "layers of NumPy"
mkfifo pipe.npz
cat land.npz > pipe.npz &
equal "through a pipe" "$(last_hash open pipe.npz)" "$hash"
wait

# The place on a map, and hardness in three dimensions.
printf 'ncols 4\nnrows 3\nxllcenter 7000.5\nyllcenter 900.25\ncellsize 20\n1 2 3 4\n5 6 7 8\n9 8 7 6\n' > map.asc
printf 'PROJCS["a plane"]' > map.prj
$python -c "import numpy; numpy.save('rock.npy', numpy.linspace(0, 1, 24).reshape(4, 3, 2))" || fail "a volume"
"$RAVINE" --quiet open map.asc hardness rock.npy low=0 high=30 save map.npz || fail "save of a map"
$python - > said 2>&1 <<'END' || fail "NumPy, map: $(cat said)"
import numpy
land = numpy.load('map.npz')
assert land['map'][:4].tolist() == [7000.5, 940.25, 20, 20], land['map']
assert bytes(land['map_prj']) == b'PROJCS["a plane"]', bytes(land['map_prj'])
rock = land['hardness_volume']
assert rock.shape == (4, 3, 2) and abs(rock - numpy.load('rock.npy')).max() < 1e-7
assert land['hardness_place'].tolist() == [0, 0, 60, 20, 10, 0, 0, 0], land['hardness_place']
all = dict(land)
numpy.savez('map_again.npz', **all)
all['map'] = numpy.zeros(5)
numpy.savez('no_place.npz', **all)
all['map'], all['hardness_volume'] = land['map'], rock + 1
numpy.savez('too_hard.npz', **all)
END
"$RAVINE" --quiet open map_again.npz save back.asc || fail "a map written by NumPy"
"$RAVINE" --quiet open map.asc save there.asc || fail "a map"
equal "the map through NumPy" "$(cat back.asc back.prj)" "$(cat there.asc there.prj)"
holds "no place" "$("$RAVINE" open no_place.npz 2>&1)" 'map is not a place on a map'
holds "too hard" "$("$RAVINE" open too_hard.npz 2>&1)" 'hardness_volume is not an array of numbers from 0 to 1'

# Refused before anything runs, with one sentence.
for size in 0 3 400 5000; do
    head -c $size land.npz > cut.npz
    "$RAVINE" noise save made.npy open cut.npz 2> said && fail "cut to $size bytes"
    [ ! -e made.npy ] || fail "cut to $size bytes: found only when it was read"
    equal "sentences of a file cut to $size bytes" "$(wc -l < said)" 1
done
cp soil.npy not.npz
holds "not a ZIP" "$("$RAVINE" open not.npz 2>&1)" 'not.npz is not a ZIP archive.'
finish
