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

# Ground that slides: talus angle, rounds, neighbours, and what gradients do to the same cliffs.
land="terrain size=256 cell=10 noise seed=11 frequency=1 relief=700"
ravine $land hillshade "$out/thermal-before.png"
ravine $land thermal hillshade "$out/thermal-after.png"
for talus in 20 30 40; do
    ravine $land thermal talus=$talus until=settled hillshade "$out/thermal-talus-$talus.png"
done
for rounds in 10 100 1000; do
    ravine $land thermal talus=30 rounds=$rounds hillshade "$out/thermal-rounds-$rounds.png"
done
cliffs="terrain size=256 cell=10 faults seed=2 profile=step along=circle count=40 relief=500"
ravine $cliffs hillshade "$out/thermal-cliffs.png"
ravine $cliffs thermal talus=35 until=settled hillshade "$out/thermal-settled.png"
for neighbours in 8 4; do
    ravine $cliffs thermal talus=35 neighbours=$neighbours rounds=1000 \
        hillshade "$out/thermal-neighbours-$neighbours.png"
done
for gradient in central forward backward; do
    ravine $cliffs thermal method=slope gradient=$gradient talus=35 rounds=20 \
        hillshade "$out/thermal-slope-$gradient.png"
done
for receiver in lowest gradient; do
    ravine $cliffs thermal method=slope receiver=$receiver talus=35 rounds=20 \
        hillshade "$out/thermal-slope-$receiver.png"
done
