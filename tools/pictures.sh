#!/bin/sh
# Makes the pictures of README.md and docs/ with the program itself: RAVINE=path/to/ravine.
set -eu
cd "$(dirname "$0")/.."
out=docs/pictures
mkdir -p "$out"
ravine() { "${RAVINE:-ravine}" --quiet "$@"; }

# The lands of the front page and the gallery.
for name in alps hills canyon island badlands volcano ranges; do
    ravine "recipes/$name.rv" render.width=560 render.height=315
    mv "$name-view.png" "$out/gallery-$name.png"
    rm -f "$name.png" "$name.png.ravine.json"
done
rm -f alps-before.png alps-after.png

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
deposition 0.01 0.3 0.9
erosion 0.05 0.3 0.9
evaporation 0.005 0.02 0.2
radius 30 60 120
min_slope 0.0001 0.002 0.02
first_water 0.3 3
VALUES
ravine terrain size=256 cell=20 faults seed=2 droplets hillshade "$out/faults-after.png"
for border in open wall apron; do
    ravine $land droplets drops=300k inertia=0 border=$border hillshade "$out/border-$border.png"
done
for blend in 0 0.5 1; do
    ravine $land droplets radius=30 blend=$blend hillshade "$out/drops-blend-$blend.png"
done

# Rivers, and land that drains.
young="terrain size=320 cell=48 noise seed=3 frequency=0.15 relief=400"
ravine $young hillshade "$out/rivers-before.png"
ravine $young rivers hillshade "$out/rivers-after.png" paint "$out/rivers-flow.png" field=flow
ravine $young rivers border=sink time=3M hillshade "$out/rivers-sink.png"
ravine terrain size=320 cell=48 noise seed=5 frequency=0.1 relief=900 level low=-500 high=500 \
    rivers sea=0 hillshade "$out/rivers-sea.png" tint=land
ravine terrain size=64 faults along=line profile=atan count=1 seed=4 save "$out/hard.png" > /dev/null
ravine $young hardness "$out/hard.png" rivers time=4M hillshade "$out/rivers-hard.png"
rm -f "$out/hard.png" "$out/hard.png.ravine.json"
ravine $young rivers analyse paint "$out/analyse-area.png" field=area \
    paint "$out/analyse-order.png" field=stream_order paint "$out/analyse-distance.png" field=channel_distance
for curve in linear sqrt log; do
    ravine $young rivers analyse save "$out/curve-$curve.png" field=area curve=$curve bits=8
    rm -f "$out/curve-$curve.png.ravine.json"
done
ravine $land drain hillshade "$out/drain-breach.png"
ravine $land drain method=fill slope=0 hillshade "$out/drain-fill.png"
ravine $land drain lakes=keep deep=20 paint "$out/drain-lakes.png" field=water

# Rain that runs off over the grid, and particles that roll.
ravine $land runoff hillshade "$out/runoff-after.png"
while read -r key values; do
    for value in $values; do
        ravine $land runoff "$key=$value" hillshade "$out/runoff-$key-$value.png"
    done
done <<VALUES
rounds 150 2000
capacity 60 600
softness 0.003 0.05
deposition 0.01 1
evaporation 0.005 0.1
neighbours 4
width 0 150
full_slope 0.3 3
full_flow 0 0.5
VALUES
ravine $land runoff infiltration=0.0002 hillshade "$out/runoff-infiltration-0.0002.png"
ravine $land particles hillshade "$out/particles-after.png"
ravine $land particles order=batch hillshade "$out/particles-batch.png"
while read -r key values; do
    for value in $values; do
        ravine $land particles "$key=$value" hillshade "$out/particles-$key-$value.png"
    done
done <<VALUES
drops 15000 1M
acceleration 0.3 3
friction 0.1 0.5
capacity 0.2 5
softness 0.02 1
deposition 0.01 0.5
evaporation 0.008 0.1
first_water 0.3 3
place nearest
VALUES

# A canyon with and without bands in the rock, what the bands can be, a layer, lakes.
canyon="terrain size=384 cell=8 noise shape=billow octaves=2 gain=0.35 frequency=0.35 warp=1 relief=700
    noise mode=add seed=8 frequency=3 relief=60"
bands="strata thickness=30 hardness=0.95 tilt=1"
ravine $canyon hillshade "$out/canyon-before.png" droplets drops=150k hillshade "$out/canyon-plain.png"
ravine $canyon $bands droplets drops=150k hillshade "$out/canyon-bands.png"
ravine terrain size=256 cell=12 noise shape=billow octaves=2 gain=0.35 frequency=0.35 warp=1 relief=700 \
    noise mode=add seed=8 frequency=3 relief=60 $bands \
    layer name=soil thickness=1.5 slope=25 layer name=sand thickness=0 \
    droplets drops=60k thermal rounds=10 paint "$out/canyon-layers.png" field=layers
rock="terrain size=256 cell=10 noise seed=9 frequency=0.8 relief=700"
while read -r name words; do
    ravine $rock $words droplets hillshade "$out/strata-$name.png"
done <<VALUES
hardness-0.5 strata hardness=0.5
default strata
hardness-1 strata hardness=1
thickness-15 strata thickness=15
thickness-120 strata thickness=120
tilt-0 strata tilt=0
tilt-20 strata tilt=20
fold-150 strata fold=150 fold_length=800
VALUES

# Hardness in three dimensions. The volume is made by NumPy, as docs/layers.md has it.
ravine terrain size=256 cell=10 noise seed=9 frequency=0.6 octaves=5 relief=320 \
    hardness noise=0.97 frequency=2 frequency_z=12 octaves=2 droplets drops=50k thermal rounds=30 talus=35 \
    render "$out/hardness-noise.png" look=desert width=720 height=420 elevation=32
sed -n '/^    import numpy/,/^    numpy.save/s/^    //p' docs/layers.md | "${PYTHON:-python3}"
ravine terrain size=256 cell=10 noise seed=4 frequency=0.8 octaves=6 relief=120 \
    cone mode=add power=1 relief=420 hardness rock.npy droplets drops=150k thermal rounds=40 talus=38 \
    render "$out/hardness-volume.png" look=desert width=720 height=420 elevation=32
rm -f rock.npy
ravine terrain size=256 cell=10 noise seed=9 frequency=1 relief=500 hillshade "$out/flood-land.png" \
    flood save "$out/flood-lakes.png" field=water bits=8
ravine terrain size=256 cell=10 noise seed=9 frequency=1 relief=500 flood level=220 \
    save "$out/flood-sea.png" field=water bits=8
rm -f "$out"/flood-*.ravine.json
ravine terrain size=160 cell=10 noise seed=11 frequency=0.5 relief=250 octaves=6 drain \
    pipes rain=0 time=900 spring_radius=30 springs="300/300/20 1250/250/20 800/800/20 350/1250/20" \
    paint "$out/pipes-springs.png" field=water
# Selections.
ravine terrain size=384 cell=30 noise seed=3 frequency=0.2 relief=900 \
    rivers uplift=0.9 steps=40 sea=260 talus=34 droplets drops=60k flood level=260 \
    select name=trees where="height < 1500~200 and slope < 30~6 and not water > 0" \
    mask field=trees layer name=woods thickness=12 colour=2f5a2c \
    render "$out/fields-trees.png" width=720 height=420 snow=2600 elevation=30
ravine terrain size=320 cell=20 faults profile=atan count=300 seed=4 relief=1600 width=120 \
    layer name=bedrock talus=55 colour=6f6a66 \
    layer name=rock thickness=0 colour=a5835f select name=mask where="noise > 0.5~0.1" \
    faults layer=rock along=circle profile=step count=40 seed=5 relief=220 \
    layer name=sand thickness=0 select name=mask where="slope < 20~14" \
    noise layer=sand seed=6 frequency=1 relief=50 mask \
    thermal rounds=150 \
    render "$out/fields-layers.png" width=720 height=420 look=desert elevation=32
# Fields in colours, and frames of a film.
ravine $land droplets border=apron paint "$out/views-flow.png" field=flow \
    paint "$out/views-eroded.png" field=eroded paint "$out/views-deposited.png" field=deposited \
    paint "$out/views-height.png"
ravine terrain size=128 cell=40 noise seed=11 frequency=0.35 relief=1200 \
    repeat 9 droplets 600 border=apron \
    film "$out/views-film.png" view=eroded limit=200 every=4 end
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
# The land of the drops under running water.
land="terrain size=256 cell=20 noise seed=11 frequency=0.35 relief=1200"
ravine $land pipes hillshade "$out/pipes-after.png"
ravine $land pipes neighbours=4 hillshade "$out/pipes-four.png"
ravine $land pipes width=0 hillshade "$out/pipes-width-0.png"
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
# Water in colours; spikes of forward transport and their cure.
ravine terrain size=160 cell=10 noise seed=11 octaves=4 frequency=1 relief=400 pipes \
    paint "$out/views-water.png" field=water paint "$out/views-velocity.png" field=velocity \
    paint "$out/views-sediment.png" field=sediment
land="terrain size=128 cell=10 noise seed=11 octaves=4 frequency=1 relief=400"
ravine $land pipes width=0 transport=forward time=600 hillshade "$out/spikes-forward.png"
ravine $land repeat 20 pipes width=0 transport=forward time=30 thermal talus=30 rounds=5 end \
    hillshade "$out/spikes-cured.png"
ravine $land pipes width=0 time=600 hillshade "$out/spikes-flux.png"
# What is measured of real land, and of noise.
ravine open tests/data/andes.png measure plots="$out/measure-real"
ravine terrain size=256 cell=85.4 noise relief=2500 frequency=0.2 gain=0.5 \
    measure plots="$out/measure-noise"
rm -f "$out/measure-noise-hypsometry.png" "$out/measure-noise-landforms.png"
# The virtual pipes of the paper.
wet="terrain size=160 cell=10 noise seed=11 octaves=4 frequency=1 relief=400"
for way in backward forward; do
    ravine $wet pipes model=virtual transport=$way time=400 hillshade "$out/pipes-virtual-$way.png"
done
ravine $wet repeat 80 pipes model=virtual transport=forward time=5 thermal rounds=10 talus=30 end \
    hillshade "$out/pipes-virtual-thermal.png"

# A film of steps.
ravine terrain size=192 cell=20 noise seed=7 frequency=0.6 relief=700 \
    film steps.png view=tint frames=12 rivers time=900k steps=60 droplets 20k thermal rounds=20
for frame in 00000 00003 00012 00036; do mv "steps-$frame.png" "$out/views-steps-$frame.png"; done
rm -f steps-000*.png

# Pictures in perspective: the looks of one land, lakes, bands in the rock, a turn, textures.
alps="terrain size=512 cell=20 noise seed=7 shape=ridged octaves=9 frequency=0.17 warp=0.3 relief=2200
    droplets drops=250k border=apron thermal talus=42 rounds=30"
ravine $alps render "$out/render-alpine.png" width=800 height=450 \
    render "$out/render-desert.png" look=desert width=400 height=225 \
    render "$out/render-clay.png" look=clay width=400 height=225 \
    render "$out/render-map.png" look=map width=400 height=225
ravine $canyon $bands droplets drops=150k render "$out/render-canyon.png" look=desert width=400 height=225
ravine terrain size=384 cell=20 noise seed=4 frequency=0.25 warp=0.5 relief=1400 level low=-300 high=1100 \
    droplets drops=60k flood level=0 render "$out/render-sea.png" width=400 height=225
woods="terrain size=256 cell=14 noise seed=3 frequency=0.3 octaves=6 relief=260 rivers time=300k steps=20
    diffusion=0.05 crop margin=16cells"
printf 'grass d0a040\ngrass_dark a06a30\ndry_grass b07838\nwood 7a3b12\n' > autumn.txt
ravine $woods render "$out/render-endless.png" frame=none elevation=12 width=400 height=225 \
    render "$out/render-eye.png" frame=none eye=1200/2600/90 target=1900/600/0 time=16 width=400 height=225 \
    render "$out/render-autumn.png" palette=autumn.txt trees=40 width=800 height=450
rm -f autumn.txt
ravine terrain width=1024 height=256 cell=10 noise seed=5 frequency_x=0.4 frequency_y=1.2 warp=0.5 \
    save clouds.png bits=8 low=-1200 high=1000
ravine terrain size=512 cell=10 noise seed=7 shape=ridged frequency=0.35 warp=0.3 relief=1100 droplets 60k \
    texture normals.png resize size=96 render "$out/render-coarse.png" trees=0 width=400 height=225 \
    render "$out/render-normals.png" trees=0 normals=normals.png width=400 height=225 \
    render "$out/render-sky.png" frame=none eye=600/4500/120 target=3000/1500/0 sky=clouds.png normals=normals.png \
    width=400 height=225
rm -f clouds.png clouds.png.ravine.json normals.png
small="terrain size=128 cell=60 noise seed=7 shape=ridged frequency=0.17 warp=0.3 relief=2200 droplets 20k"
ravine $small repeat 3 film "$out/render-turn.png" view=render orbit=270 width=280 height=158 end
for kind in normal occlusion slope curvature splat; do
    ravine $small texture "$out/texture-$kind.png" kind=$kind
done
ravine terrain size=160 cell=20 noise seed=11 frequency=0.7 relief=500 layer name=gravel thickness=2 noise=1 slope=30 \
    droplets 10k thermal rounds=20 texture "$out/texture-field.png" kind=field field=gravel limit=40
ravine terrain size=224 cell=40 noise seed=7 shape=ridged frequency=0.17 warp=0.3 relief=2200 \
    rivers time=1M steps=20 crop margin=16cells track droplets 60k texture "$out/splat.png" kind=splat split=yes
rm -f "$out/splat.png"
# A base mesh, and what rivers make of it.
ravine terrain size=128 cell=40 noise seed=9 octaves=3 frequency=0.3 relief=900 save base.obj error=60
ravine open base.obj cell=20 hillshade "$out/mesh-base.png" noise mode=add seed=2 frequency=1 relief=60 \
    rivers time=200k steps=20 hillshade "$out/mesh-worn.png"
rm -f base.obj
# Scenes of water and rock, before and after.
for name in river lake tube two_sources arch cave; do
    ravine scene $name frames=0 width=480 height=300 save="$out/scene-$name-before.png"
    ravine scene $name frames=1500 width=480 height=300 save="$out/scene-$name-after.png"
done
# Those that only the gallery of the studio shows.
ravine scene dam_break frames=250 width=480 height=300 save="$out/scene-dam_break-after.png"
ravine scene detailed_lake frames=600 width=480 height=300 save="$out/scene-detailed_lake-after.png"
