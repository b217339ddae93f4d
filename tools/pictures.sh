#!/bin/sh
# Makes the pictures of README.md and docs/ with the program itself: RAVINE=path/to/ravine.
set -eu
cd "$(dirname "$0")/.."
out=docs/pictures
mkdir -p "$out"
ravine() { "${RAVINE:-ravine}" --quiet "$@"; }

# The mountain of the front page, before and after.
ravine recipes/alps.rv terrain.size=640 terrain.cell=19.2
mv alps-before.png alps-after.png "$out"
rm -f alps.png alps.png.ravine.json

# What land is made of.
for shape in plain ridged billow; do
    ravine terrain size=256 cell=20 noise seed=4 shape=$shape hillshade "$out/noise-$shape.png"
done
ravine terrain size=256 cell=20 noise seed=4 warp=1 hillshade "$out/noise-warp.png"
ravine terrain size=256 cell=20 noise seed=4 basis=value hillshade "$out/noise-value.png"
for profile in step atan sin cos bump; do
    ravine terrain size=256 cell=20 faults seed=2 profile=$profile hillshade "$out/faults-$profile.png"
done
ravine terrain size=256 cell=20 faults seed=2 along=circle hillshade "$out/faults-circle.png"

# One land, and what each parameter of the drops does to it.
land="terrain size=256 cell=20 noise seed=11 frequency=0.35 relief=1200"
ravine $land hillshade "$out/drops-before.png"
ravine $land droplets hillshade "$out/drops-after.png"
while read -r key values; do
    for value in $values; do
        ravine $land droplets "$key=$value" hillshade "$out/drops-$key-$value.png"
    done
done <<VALUES
inertia 0 0.3 0.8
capacity 2 8 32
deposition 0.01 0.1 0.9
erosion 0.05 0.3 0.9
evaporation 0.005 0.02 0.2
radius 1.5 3 6
min_slope 0.0001 0.002 0.02
VALUES
ravine terrain size=256 cell=20 faults seed=2 droplets hillshade "$out/faults-after.png"
for border in open wall apron; do
    ravine $land droplets drops=300k inertia=0 border=$border hillshade "$out/border-$border.png"
done
for blend in 0 0.5 1; do
    ravine $land droplets radius=1.5 blend=$blend hillshade "$out/drops-blend-$blend.png"
done

# The same land under running water.
ravine $land pipes hillshade "$out/pipes-after.png"
ravine $land pipes neighbours=4 hillshade "$out/pipes-four.png"
for transport in backward forward; do
    ravine $land pipes transport=$transport hillshade "$out/pipes-$transport.png"
done
while read -r key values; do
    for value in $values; do
        ravine $land pipes "$key=$value" hillshade "$out/pipes-$key-$value.png"
    done
done <<VALUES
time 200 3600
rain 200 5000
capacity 10 200
dissolve 0.002 0.05
deposit 0.002 0.1
max_depth 0.05 2
friction 0.02 0.5
VALUES
