// shaders.ts: the land on the GPU. Heights, water and the shown field are float textures; vertices are moved where
// they are drawn. World units are metres: x east, y up, z south; the north-west cell is at 0, 0.

const LAND = /* glsl */ `
precision highp float;
precision highp sampler2D;
uniform sampler2D heights;
uniform sampler2D water;
uniform vec2 size;      // cells
uniform float cell;     // m
uniform float rise;     // vertical exaggeration

float at(sampler2D grid, ivec2 p) { return texelFetch(grid, clamp(p, ivec2(0), ivec2(size) - 1), 0).r; }
float between(sampler2D grid, vec2 p) {
    p = clamp(p, vec2(0.0), size - 1.0);
    ivec2 i = ivec2(floor(p));
    vec2 f = p - vec2(i);
    return mix(mix(at(grid, i), at(grid, i + ivec2(1, 0)), f.x),
               mix(at(grid, i + ivec2(0, 1)), at(grid, i + ivec2(1, 1)), f.x), f.y);
}
`;

/** Noise from textures that repeat. Plain noise is 0 to 1, the other about -1 to 1; a unit is a hump of the first octave. */
const NOISE = /* glsl */ `
uniform sampler2D grain;
uniform sampler2D bumps;
uniform float isFine;    // 0: the processor draws, and leaves the smallest things out
float noise(vec2 p) { return texture(grain, p / 64.0).r; }
float patches(vec2 p) { return 4.0 * (texture(grain, p / 16.0).g - 0.5); }
const mat2 TURN = mat2(0.8, 0.6, -0.6, 0.8);
float fineness(vec2 p) { // four octaves and four more, each 0.62 times as high as the one before
    float first = 5.0 * (texture(grain, p / 16.0).b - 0.5);
    return isFine > 0.5 ? first + 0.148 * 5.0 * (texture(grain, TURN * p * 17.0 / 16.0).b - 0.5) : first;
}
vec3 bump(vec2 p) { // about -1 to 1, and its slopes
    vec3 t = texture(bumps, p / 64.0).rgb - 0.5;
    return vec3(2.0 * t.x, 8.0 * t.yz);
}
`;

/** Sun, sky and air of src/picture/sky.c, view.c and tone_map.c: linear light, and the curve from it to the screen. */
const SKY = /* glsl */ `
uniform vec3 sun;
uniform vec3 sunlight;
uniform vec3 horizon;
uniform vec3 zenith;
uniform float exposure;
uniform float isNatural;
uniform vec3 tints[13];
const int ROCK = 0, GRASS = 2, BROWN = 4, WOOD = 5, SEDIMENT = 6, SNOW = 7, SAND = 8, CUT = 9, FLOOR = 11, WATER = 12;
uniform float haze;      // optical depth a metre
uniform float nearest;   // m: from the camera to the block
vec3 skyAt(vec3 d) {
    float e = max(d.y, 0.0), c = max(dot(d, sun), 0.0), c2 = c * c, c4 = c2 * c2, c8 = c4 * c4, c32 = c8 * c8 * c8 * c8;
    float c128 = c32 * c32 * c32 * c32, c512 = c128 * c128 * c128 * c128;
    return mix(horizon, zenith, 1.2 * e / (e + 0.2)) + 0.16 * sunlight * (0.2 * c2 * c4 + 0.25 * c32 + c512 * c512);
}
vec3 lightOn(vec3 n, float lit, float open) {
    float up = 0.5 + 0.5 * n.y, side = 1.0 + 0.25 * dot(n.xz, sun.xz) / (length(sun.xz) + 1e-6);
    vec3 above = up * side * mix(horizon, zenith, 0.4) + (1.0 - up) * 0.18 * horizon;
    vec3 bounce = sunlight * max(sun.y, 0.0) * (0.3 * (0.10 + 0.25 * (1.0 - open)) + 0.45 * (1.0 - n.y) * open * tints[FLOOR]);
    return lit * max(dot(n, sun), 0.0) * sunlight + open * open * above + bounce;
}
// up: the height, 0 lowest and 1 highest. There is more haze in valleys than over summits.
vec3 throughAir(vec3 c, vec3 to, float far, float up) {
    float keep = exp(-haze * max(far - nearest, 0.0) * (0.35 + 0.65 * (1.0 - smoothstep(0.0, 0.8, up))));
    return mix(skyAt(vec3(to.x, 0.0, to.z)), c, keep);
}
vec3 toScreen(vec3 c) {
    vec3 x = max(c, 0.0) * exposure;
    x = min(x * (2.51 * x + 0.03) / (x * (2.43 * x + 0.59) + 0.14), 1.0);
    float dither = fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715)))) - 0.5; // slow gradients show no steps
    vec3 a = sqrt(x), b = sqrt(a), c2 = sqrt(b); // the curve of sRGB, off by two levels at most
    return 0.662002687 * a + 0.684122060 * b - 0.323583601 * c2 - 0.0225411470 * x + dither / 255.0;
}
`;

/** What light does to each cell: normal, shadow of the sun, and how much sky it sees. Drawn once per change. */
export const LIGHT_VERTEX = /* glsl */ `
in vec3 position;
void main() { gl_Position = vec4(position.xy, 0.0, 1.0); }
`;

export const LIGHT_FRAGMENT = LAND + /* glsl */ `
uniform vec3 sun;
uniform int sunSteps;
uniform int skySteps;
uniform int every;
out vec4 result;
void main() {
    ivec2 p = ivec2(gl_FragCoord.xy) * every;
    float h = at(heights, p);
    float dx = at(heights, p + ivec2(1, 0)) - at(heights, p - ivec2(1, 0));
    float dz = at(heights, p + ivec2(0, 1)) - at(heights, p - ivec2(0, 1));
    float d = 2.0 * cell;
    if (p.x == 0 || p.x == int(size.x) - 1) dx *= 2.0;
    if (p.y == 0 || p.y == int(size.y) - 1) dz *= 2.0;
    vec3 n = normalize(vec3(-dx * rise, d, -dz * rise));
    // The sun: how far above the land is the ray that goes to it, as an angle? Strides grow.
    float lit = 1.0, way = 1.2;
    vec2 to = sun.xz / max(length(sun.xz), 1e-4);
    float climb = sun.y / max(length(sun.xz), 1e-4);
    for (int i = 0; i < sunSteps; i++) {
        vec2 q = vec2(p) + to * way;
        if (q.x < 0.0 || q.y < 0.0 || q.x > size.x - 1.0 || q.y > size.y - 1.0) break;
        float above = (h - between(heights, q)) * rise / cell + climb * way;
        lit = min(lit, 0.5 + 9.0 * above / way);
        if (lit <= 0.0) break;
        way *= 1.16;
        way += 0.35;
    }
    // The sky: the mean of how far the horizon rises in eight directions.
    float open = 0.0;
    for (int k = 0; k < 8; k++) {
        float a = 0.785398 * (float(k) + 0.35 * float((p.x ^ p.y) & 1));
        vec2 dir = vec2(cos(a), sin(a));
        float top = 0.0, r = 1.5;
        for (int i = 0; i < skySteps; i++) {
            top = max(top, (between(heights, vec2(p) + dir * r) - h) * rise / (r * cell));
            r *= 2.1;
        }
        open += 1.0 - top / sqrt(1.0 + top * top);
    }
    result = vec4(n.x, n.z, clamp(lit, 0.0, 1.0), open / 8.0);
}
`;

/** Tiles of one patch: `tile` is x, z and cells per quad. Far vertices slide to those of the coarser level. */
export const GROUND_VERTEX = LAND + /* glsl */ `
in vec3 position;
in vec4 tile;
uniform mat4 viewMatrix;
uniform mat4 projectionMatrix;
uniform vec3 cameraPosition;
uniform float reach;    // m: how far the finest level goes
uniform float isWater;
uniform float wet;       // 1: there is water
out vec2 place;         // cells
out vec3 world;
out float depth;
void main() {
    vec2 p = position.xy;
    vec2 rough = tile.xy + p * tile.z;
    vec3 from = vec3(rough.x * cell, at(heights, ivec2(rough)) * rise, rough.y * cell);
    float far = reach * tile.z;
    float k = clamp((distance(from, cameraPosition) - 0.7 * far) / (0.3 * far), 0.0, 1.0);
    p -= fract(p * 0.5) * 2.0 * k;
    place = min(tile.xy + p * tile.z, size - 1.0);
    float h = between(heights, place);
    depth = between(water, place);
    if (wet > 0.5 && depth < 0.015) { // beside water: so far is the ground above its level, and between them is the shore
        float level = 0.0, count = 0.0;
        for (int k = 0; k < 9; k++) {
            ivec2 p = ivec2(place + 0.5) + ivec2(k % 3 - 1, k / 3 - 1);
            float d = at(water, p);
            if (d > 0.015) {
                level += at(heights, p) + d;
                count += 1.0;
            }
        }
        if (count > 0.0) depth = min(level / count - h, 0.0);
    }
    if (isWater > 0.5) h += depth;
    world = vec3(place.x * cell, h * rise, place.y * cell);
    gl_Position = projectionMatrix * viewMatrix * vec4(world, 1.0);
}
`;

export const GROUND_FRAGMENT = LAND + NOISE + SKY + /* glsl */ `
uniform sampler2D light;
uniform sampler2D field;
uniform sampler2D ramp;
uniform vec3 cameraPosition;
uniform int mode;        // 0 natural, 1 a field with the ramp, 2 direction and size (HSV), 3 colours of layers, 4 grey
uniform vec4 scale;      // of the field: from, to, is it logarithmic, less where it is 0
uniform vec2 span;       // m: lowest and highest
uniform vec4 lines;      // m: where snow lies, where grass ends; how far below that woods get no denser; what is rock, a tangent
uniform float dry;       // 1: sand and banded rock
uniform float roughness; // of bumps
uniform sampler2D traces; // beside that of a stream: flow; beside what is much: what was laid down; how much layers cover
uniform float much;      // flow of a stream; 0: there is none
uniform float wet;       // 1: there is water
uniform float wires;     // 0 none, 1 over the land, 2 alone
uniform float isWater;
uniform vec3 back;
uniform float time;
uniform vec4 brush;      // x, z, radius in m; on
in vec2 place;
in vec3 world;
in float depth;
out vec4 colour;

vec3 hsv(float h, float s, float v) {
    vec3 k = clamp(abs(fract(h + vec3(0.0, 0.6667, 0.3333)) * 6.0 - 3.0) - 1.0, 0.0, 1.0);
    return v * mix(vec3(1.0), k, s);
}

// What lies where, by the rules of land_cover.c, in the colours of palette.c. slope: towards east and south, as a tangent;
// it gets the bumps that the land is too coarse for, as view.c has them.
vec3 cover(inout vec2 slope) {
    float h = world.y / rise, relief = max(span.y - span.x, 1.0), s = length(slope), steep = lines.w;
    vec2 wide = fwidth(place);
    float pixel = max(wide.x, wide.y);
    float big = patches(place * 9.0 / max(size.x, size.y)), fine = fineness(place / 7.0);
    float up = (h - lines.y) / relief;
    float rock = max(smoothstep(0.75, 1.3, (s + 0.1 * fine + 0.05 * big) / steep), smoothstep(-0.07, 0.07, up + 0.06 * big + 0.03 * fine));
    vec3 trace = texture(traces, (place + 0.5) / size).rgb;
    float laid = 0.65 * smoothstep(0.1, 0.6, trace.g + 0.12 * fine) * step(0.004, trace.g) * (1.0 - smoothstep(0.8, 1.2, s / steep));
    laid = mix(laid, 1.0, trace.b);
    float snowed = 0.0;
    if (lines.x < 1e8) {
        float above = (h - lines.x) / relief, hold = 0.72 + 1.2 * max(above, 0.0) + 0.12 * fine;
        snowed = smoothstep(-0.012, 0.035, above + clamp(0.06 * big + 0.035 * fine, -0.1, 0.1)) * (1.0 - smoothstep(hold, hold + 0.28, s)) * step(-0.1, above);
    }
    float soaked = much > 0.0 ? smoothstep(0.25, 1.0, min(trace.r, 1.0)) : 0.0, beach = 0.0;
    if (wet > 0.5) {
        float shallow = clamp(0.01 * cell, 0.05, 0.5), rises = clamp(0.15 * cell, 0.3, 6.0);
        soaked = max(soaked, smoothstep(0.0, shallow, depth));
        for (int k = 0; k < 8; k += isFine > 0.5 ? 1 : 2) {
            float a = 0.785398 * float(k);
            ivec2 p = ivec2(place + 0.5 + 1.6 * vec2(cos(a), sin(a)));
            float d = at(water, p);
            if (d > shallow)
                beach = max(beach, (1.0 - smoothstep(0.4, 1.0, (h - at(heights, p) - d) / rises)) * smoothstep(1.0, 6.0, d / shallow));
        }
        beach *= 1.0 - smoothstep(0.3, 0.6, s);
    }
    soaked *= 1.0 - snowed;

    vec3 sandy = tints[SAND] * (1.0 + 0.07 * fine + 0.06 * big);
    float bed = h / max(relief / 26.0, 1.0) + big;
    float bands = (1.3 * (noise(vec2(0.5, bed)) - 0.5) + 0.7 * (noise(vec2(8.5, 3.7 * bed)) - 0.5)) * (1.0 - smoothstep(0.5, 2.0, 26.0 * pixel * cell * s / relief));
    vec3 stone = mix(tints[ROCK], tints[ROCK + 1], clamp(0.5 + 0.4 * bands + 0.22 * big + 0.25 * fine, 0.0, 1.0));
    vec3 low = sandy;
    if (dry < 0.5) {
        vec3 grass = mix(tints[GRASS], tints[GRASS + 1], clamp(0.5 + 0.5 * big + 0.3 * fine, 0.0, 1.0));
        grass = mix(grass, tints[BROWN], 0.8 * smoothstep(-0.35, 0.75, big + 0.5 * fine + 2.2 * max(up, -2.0 * lines.z) + 0.6));
        float dense = smoothstep(-0.15, 0.55, -0.5 * big + 0.35 * fine - 2.4 * max(up, -lines.z) - 0.28);
        float crowns = isFine > 0.5 ? 0.5 + 0.9 * (1.0 - smoothstep(0.5, 1.3, pixel)) * bump(place / 1.1).x : 0.5;
        low = mix(grass, tints[WOOD], step(0.001, dense) * 0.95 * smoothstep(0.0, 0.35, 1.35 * dense - crowns + 0.05)
            * (0.2 + 0.8 * smoothstep(0.06, 0.18, s / steep)) * (1.0 - smoothstep(0.9, 1.4, s / steep)));
    }
    vec3 c = mix(low, stone, rock);
    c = mix(c, tints[SEDIMENT] * (1.0 + 0.12 * fine), laid);
    c = mix(c, sandy, beach) * (1.0 - 0.45 * soaked);
    c = mix(c, 2.5 * tints[WATER], 0.65 * smoothstep(0.3, 1.0, soaked));

    float bare = (1.0 - laid) * (1.0 - beach) * (1.0 - snowed);
    float amount = roughness * (bare * mix(dry > 0.5 ? 0.03 : 0.10, 0.34, rock) + 0.10 * laid + 0.035 * snowed) * (0.55 + min(s, 1.2));
    mat2 turned = mat2(1.0);
    float bumpy = 2.6;
    for (int k = 0; k < (isFine > 0.5 ? 3 : 0); k++) {
        turned = TURN * turned;
        slope += 0.5 * amount * (1.0 - smoothstep(0.25, 0.7, pixel / bumpy)) * (bump(turned * place / bumpy).yz * turned);
        bumpy *= 0.43;
    }
    return mix(c, tints[SNOW], snowed);
}

// Over the ground that was drawn: what it reflects, and its own colour the deeper it is.
vec4 waterColour(vec3 to, vec3 light) {
    vec2 w = world.xz / (cell * 2.2);
    float near = 1.0 / (1.0 + 3.0 * length(fwidth(w))); // what is finer than pixels only glitters
    vec3 n = normalize(vec3(noise(w + time) - noise(w + vec2(3.1) - time), 22.0 / near, noise(w.yx - time) - noise(w.yx + vec2(5.7) + time)));
    float straight = clamp(-dot(to, n), 0.02, 1.0), mirrors = 0.02 + 0.98 * pow(1.0 - straight, 5.0);
    float keep = exp(-0.11 * depth * (1.0 + inversesqrt(1.0 - 0.5625 * (1.0 - straight * straight))));
    vec3 r = reflect(to, n);
    vec3 over = skyAt(vec3(r.x, max(r.y, 0.01), r.z)) + 2.0 * sunlight * pow(clamp(dot(r, sun), 0.0, 1.0), 400.0);
    float alpha = 1.0 - keep * (1.0 - mirrors);
    return vec4((tints[WATER] * light * (1.0 - keep) * (1.0 - mirrors) + over * mirrors) / max(alpha, 1e-3), alpha * smoothstep(0.015, 0.16, depth));
}

void main() {
    vec3 to = normalize(world - cameraPosition);
    vec4 l = texture(light, (place + 0.5) / size);
    float far = distance(world, cameraPosition), up = (world.y / rise - span.x) / max(span.y - span.x, 1.0);
    if (isWater > 0.5) {
        if (depth < 0.015) discard;
        colour = waterColour(to, lightOn(vec3(0.0, 1.0, 0.0), l.z, 1.0));
        colour.rgb = toScreen(throughAir(colour.rgb, to, far, up));
        return;
    }
    vec3 n = vec3(l.x, sqrt(max(1.0 - dot(l.xy, l.xy), 0.0)), l.y);
    float face = clamp(dot(n, sun), 0.0, 1.0);
    vec3 base, c;
    if (mode == 4) base = vec3(0.62);
    else if (mode == 1) {
        float v = between(field, place);
        float t = (v - scale.x) / max(scale.y - scale.x, 1e-9);
        if (scale.z > 0.5) t = log(1.0 + 100.0 * max(t, 0.0)) / log(101.0); // as overlay.c
        vec3 tint = texture(ramp, vec2(clamp(t, 0.0, 1.0) * 0.996 + 0.002, 0.5)).rgb;
        base = scale.w > 0.5 ? mix(vec3(0.60, 0.61, 0.62), tint, smoothstep(0.0, 0.12, t)) : tint;
    } else if (mode == 2) {
        vec2 v = texelFetch(field, clamp(ivec2(place + 0.5), ivec2(0), ivec2(size) - 1), 0).rg;
        float s = clamp(length(v) / max(scale.y, 1e-6), 0.0, 1.0);
        base = hsv(atan(v.y, v.x) / 6.283185 + 0.5, 0.85 * smoothstep(0.0, 0.25, s), mix(0.58, 1.0, s));
    } else if (mode == 3) base = texelFetch(field, clamp(ivec2(place + 0.5), ivec2(0), ivec2(size) - 1), 0).rgb;

    if (mode == 0) {
        vec2 slope = -n.xz / (max(n.y, 0.02) * rise);
        base = cover(slope);
        n = normalize(vec3(-slope.x * rise, 1.0, -slope.y * rise));
        c = toScreen(throughAir(base * lightOn(n, l.z, l.w), to, far, up));
    } else
        c = base * (0.30 + 0.55 * face * (0.45 + 0.55 * l.z) + 0.30 * l.w);
    if (wires > 0.5) {
        // Quads of some pixels at least: every second line, every fourth, ... where they are smaller.
        vec2 q = place / exp2(max(0.0, ceil(log2(max(max(fwidth(place).x, fwidth(place).y) * 9.0, 1e-4)))));
        vec2 g = abs(fract(q - 0.5) - 0.5) / max(fwidth(q), vec2(1e-5));
        float diagonal = abs(fract(q.x - q.y - 0.5) - 0.5) / max(fwidth(q.x - q.y), 1e-5);
        float line = 1.0 - smoothstep(0.6, 1.5, min(min(g.x, g.y), diagonal));
        c = wires > 1.5 ? mix(back, mix(c, vec3(0.55), 0.35), line) : mix(c, c * 0.45, 0.7 * line);
    }
    if (brush.w > 0.5) {
        float r = distance(world.xz, brush.xy);
        float edge = abs(r - brush.z) / max(fwidth(r), 1e-5);
        c = mix(c, vec3(0.31, 0.63, 1.0), (1.0 - smoothstep(1.0, 2.2, edge)) + 0.10 * step(r, brush.z));
    }
    colour = vec4(c, 1.0);
}
`;

/** The cut sides of the block: `position` is the cell along an edge (x, y) and 1 above, 0 below. */
export const WALL_VERTEX = LAND + /* glsl */ `
in vec3 position;
in vec3 normal;
uniform mat4 viewMatrix;
uniform mat4 projectionMatrix;
uniform float base;
uniform float isWater;   // the side of the water, from the ground up
out vec3 world;
out vec3 facing;
out float below;          // m, from the ground or the water down
void main() {
    float ground = at(heights, ivec2(position.xy));
    float h = position.z > 0.5 ? ground : base;
    if (isWater > 0.5) h = position.z > 0.5 ? ground + at(water, ivec2(position.xy)) : ground;
    below = (isWater > 0.5 ? ground + at(water, ivec2(position.xy)) : ground) - h;
    world = vec3(position.x * cell, h * rise, position.y * cell);
    facing = normal;
    gl_Position = projectionMatrix * viewMatrix * vec4(world, 1.0);
}
`;

export const WALL_FRAGMENT = LAND + NOISE + SKY + /* glsl */ `
uniform vec3 cameraPosition;
uniform int mode;
uniform float wires;
uniform vec3 back;
uniform vec2 span;
uniform float base;
uniform float isWater;
in vec3 world;
in vec3 facing;
in float below;
out vec4 colour;
void main() {
    vec3 to = normalize(world - cameraPosition);
    float far = distance(world, cameraPosition), y = world.y / rise, relief = max(span.y - span.x, 1.0), tall = (y - base) / max(span.x - base, 1e-3);
    vec3 light = lightOn(facing, 1.0, 0.45 + 0.45 * smoothstep(0.0, 1.5, tall));
    if (isWater > 0.5) {
        vec3 sea = tints[WATER] * min(2.0 + 5.0 * exp(-0.03 * below), 0.6 / tints[WATER].b) * light;
        colour = vec4(toScreen(throughAir(sea, to, far, (y - span.x) / relief)), 0.94);
        return;
    }
    float whole = max(span.y - base, 1.0), along = (world.x + world.z) / cell * 4.5 / max(size.x, size.y);
    float bed = 13.0 * y / whole + 0.9 * patches(vec2(along + 9.3, 4.4));
    float band = clamp(0.5 + 1.2 * (noise(vec2(0.5, bed)) - 0.5) + 0.6 * (noise(vec2(8.5, 3.7 * bed)) - 0.5), 0.0, 1.0);
    vec3 c = mix(tints[CUT], tints[CUT + 1], band) * (0.62 + 0.38 * smoothstep(0.5, 1.0, 45.0 * below / whole));
    if (mode != 0) {
        c = vec3(dot(c, vec3(0.3333)));
        c = toScreen(c * light) * 0.85;
    } else
        c = toScreen(throughAir(c * light, to, far, (y - span.x) / relief));
    if (wires > 1.5) c = mix(back, c, 0.25);
    colour = vec4(c, 1.0);
}
`;

export const SKY_VERTEX = /* glsl */ `
in vec3 position;
uniform mat4 unproject;
out vec3 ray;
void main() {
    vec4 far = unproject * vec4(position.xy, 1.0, 1.0);
    vec4 near = unproject * vec4(position.xy, -1.0, 1.0);
    ray = far.xyz / far.w - near.xyz / near.w;
    gl_Position = vec4(position.xy, 0.99999, 1.0);
}
`;

/** Sky, and below the horizon the floor on which the block stands, with its shadow. */
export const SKY_FRAGMENT = LAND + SKY + /* glsl */ `
uniform float isFine;
uniform vec3 cameraPosition;
uniform vec3 back;
uniform float wires;
uniform float base;      // m
uniform vec2 span;
in vec3 ray;
out vec4 colour;

// The horizon that the block makes for a place on the floor, towards the sun, as a tangent.
float before(vec2 p) {
    vec2 to = sun.xz / max(length(sun.xz), 1e-4), last = size - 1.0;
    vec2 a = -p / (to + step(abs(to), vec2(1e-6)) * 1e-6), b = (last - p) / (to + step(abs(to), vec2(1e-6)) * 1e-6);
    float from = max(max(min(a.x, b.x), min(a.y, b.y)), 0.0), end = min(max(a.x, b.x), max(a.y, b.y)), most = 0.0;
    bool isNear = from < end && (span.y - base) * rise * length(sun.xz) > from * cell * sun.y * 0.8;
    int steps = !isNear ? -1 : isFine > 0.5 ? 32 : 8;
    for (int k = 0; k <= steps; k++) {
        float way = mix(from, end, float(k) / float(steps));
        most = max(most, (at(heights, ivec2(p + way * to + 0.5)) - base) * rise / (way * cell + 1e-3));
    }
    return most;
}

void main() {
    vec3 d = normalize(ray);
    if (isNatural < 0.5 || wires > 1.5) {
        colour = vec4(back, 1.0);
        return;
    }
    vec3 c;
    if (d.y >= -1e-5 || cameraPosition.y <= base * rise)
        c = skyAt(d);
    else {
        float far = (base * rise - cameraPosition.y) / d.y, wide = (max(size.x, size.y) - 1.0) * cell;
        vec2 p = (cameraPosition.xz + far * d.xz) / cell, beside = clamp(p, vec2(0.0), size - 1.0);
        float high = sun.y / max(length(sun.xz), 1e-4), soft = 0.021 * (1.0 + high * high);
        float away = distance(p, beside) * cell, wall = (at(heights, ivec2(beside)) - base) * rise;
        float lit = 1.0 - smoothstep(high - soft, high + soft, before(p)), open = 0.5 + 0.5 * away / sqrt(away * away + wall * wall + 1e-6);
        if (span.y <= base) lit = open = 1.0; // there is no block
        c = mix(skyAt(vec3(d.x, 0.0, d.z)), tints[FLOOR] * lightOn(vec3(0.0, 1.0, 0.0), lit, open), exp(-0.30 * max(far - nearest, 0.0) / wide));
    }
    colour = vec4(toScreen(c), 1.0);
}
`;
