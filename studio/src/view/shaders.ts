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

/** Noise from a texture that repeats: in r four octaves, in g one. A unit is a hump of the first octave. */
const NOISE = /* glsl */ `
uniform sampler2D grain;
float noise(vec2 p) { return texture(grain, p / 64.0).g; }
float fbm(vec2 p) { return texture(grain, p / 16.0).r; }
`;

const SKY = /* glsl */ `
uniform vec3 sun;
uniform vec3 horizon;
uniform vec3 zenith;
uniform float isNatural;
vec3 skyColour(vec3 d) {
    float up = clamp(d.y, -0.2, 1.0);
    vec3 c = mix(horizon, zenith, pow(clamp(up * 1.1 + 0.06, 0.0, 1.0), 0.62));
    float s = clamp(dot(d, sun), 0.0, 1.0);
    return c + isNatural * vec3(1.0, 0.86, 0.62) * (0.16 * pow(s, 8.0) + 0.5 * pow(s, 400.0));
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
out vec4 result;
void main() {
    ivec2 p = ivec2(gl_FragCoord.xy);
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
uniform float snow;      // m
uniform float dry;       // 1: sand and banded rock
uniform sampler2D flow;
uniform float much;      // flow of a stream; 0: there is none
uniform float wires;     // 0 none, 1 over the land, 2 alone
uniform float isWater;
uniform vec3 back;
uniform float haze;
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

// How wet the ground is by the water that ran over it: as in land_cover.c, so that streams are those of render. Far
// away, where they are thinner than a pixel, they are faint.
float wetness() {
    if (much <= 0.0) return 0.0;
    vec2 wide = fwidth(place);
    return smoothstep(0.25, 1.0, clamp(between(flow, place) / much, 0.0, 1.0)) * mix(1.0, 0.4, smoothstep(1.0, 3.0, max(wide.x, wide.y)));
}

vec3 cover(vec3 n, float open) {
    float h = world.y / rise;
    float up = (h - span.x) / max(span.y - span.x, 1.0);
    float big = fbm(world.xz / (cell * 42.0)), fine = fbm(world.xz / (cell * 5.0)), grit = noise(world.xz / (cell * 1.4));
    float steep = 1.0 - n.y;
    if (dry > 0.5) { // the bands are those of the cut sides
        float relief = max(span.y - span.x, 1.0), band = smoothstep(0.25, 0.75, noise(vec2(0.5, (h + 0.02 * relief * big) / (relief * 0.035))));
        vec3 stone = mix(vec3(0.55, 0.36, 0.25), vec3(0.73, 0.55, 0.40), band) * (0.88 + 0.18 * grit);
        vec3 sand = mix(vec3(0.66, 0.53, 0.39), vec3(0.75, 0.62, 0.46), fine) * (0.94 + 0.1 * grit);
        return mix(sand, stone, smoothstep(0.03, 0.14, steep + 0.05 * (fine - 0.5)));
    }
    // Rock with faint bands, scree below it, grass where soil can stay, woods in the lower hollows, snow on top.
    vec3 rock = mix(vec3(0.42, 0.395, 0.365), vec3(0.56, 0.535, 0.50), fine) * (0.86 + 0.2 * grit);
    rock *= 0.94 + 0.08 * sin(h / (cell * 0.55) + 5.0 * big);
    vec3 scree = mix(vec3(0.52, 0.475, 0.395), vec3(0.60, 0.56, 0.47), grit);
    vec3 grass = mix(vec3(0.365, 0.41, 0.22), vec3(0.55, 0.52, 0.33), clamp(big * 1.1 + up * 0.45, 0.0, 1.0)) * (0.9 + 0.2 * grit);
    vec3 woods = mix(vec3(0.165, 0.255, 0.135), vec3(0.255, 0.335, 0.165), fine) * (0.78 + 0.45 * grit);
    float tree = smoothstep(0.60, 0.68, big + 0.30 * (1.0 - open) + 0.28 * (0.42 - up) + 0.16 * fine)
        * smoothstep(0.22, 0.14, steep) * smoothstep(0.62, 0.45, up);
    // Floods keep the floors of valleys clear: meadows, and streams in them.
    float tangent = sqrt(max(1.0 - n.y * n.y, 0.0)) / max(n.y, 0.1), wet = wetness();
    tree *= (0.3 + 0.7 * smoothstep(0.02, 0.10, tangent)) * (1.0 - wet);
    vec3 c = mix(grass, woods, tree);
    c = mix(c, scree, smoothstep(0.10, 0.20, steep + 0.10 * (fine - 0.5)) * 0.75);
    c = mix(c, rock, smoothstep(0.17, 0.29, steep + 0.12 * (fine - 0.5) + 0.05 * up));
    c = mix(c, scree, smoothstep(0.45, 0.8, up) * 0.45 * (1.0 - smoothstep(0.2, 0.3, steep)));
    float white = smoothstep(-0.06, 0.06, (h - snow) / max(span.y - span.x, 1.0) + 0.16 * (big - 0.5) + 0.05 * (fine - 0.5))
        * smoothstep(0.50, 0.34, steep + 0.1 * (fine - 0.5));
    wet *= 1.0 - white;
    c = mix(c * (1.0 - 0.3 * wet), vec3(0.33, 0.47, 0.52), 0.65 * smoothstep(0.3, 1.0, wet));
    return mix(c, vec3(0.93, 0.945, 0.97), white);
}

vec4 waterColour(vec3 to) {
    float d = depth;
    vec2 w = world.xz / (cell * 2.2);
    float near = 1.0 / (1.0 + 3.0 * length(fwidth(w))); // what is finer than pixels only glitters
    vec3 n = normalize(vec3(noise(w + time) - noise(w + vec2(3.1) - time), 22.0 / near, noise(w.yx - time) - noise(w.yx + vec2(5.7) + time)));
    float f = 0.03 + 0.97 * pow(1.0 - clamp(dot(-to, n), 0.0, 1.0), 5.0);
    vec3 deep = mix(vec3(0.20, 0.44, 0.45), vec3(0.055, 0.19, 0.28), clamp(d / 30.0, 0.0, 1.0));
    vec3 r = reflect(to, n);
    vec3 c = mix(deep * (0.35 + 0.65 * sun.y), skyColour(vec3(r.x, abs(r.y), r.z)), f);
    c += vec3(1.0, 0.93, 0.8) * 0.55 * pow(clamp(dot(r, sun), 0.0, 1.0), 120.0);
    return vec4(c, clamp(0.30 + d * 0.28, 0.0, 0.94) * smoothstep(0.015, 0.16, d));
}

void main() {
    vec3 to = normalize(world - cameraPosition);
    if (isWater > 0.5) {
        if (depth < 0.015) discard;
        colour = waterColour(to);
        float far = distance(world, cameraPosition);
        colour.rgb = mix(colour.rgb, horizon, 1.0 - exp(-haze * far));
        colour.rgb = pow(clamp(colour.rgb, 0.0, 1.0), vec3(0.92));
        return;
    }
    vec4 l = texture(light, (place + 0.5) / size);
    vec3 n = vec3(l.x, sqrt(max(1.0 - dot(l.xy, l.xy), 0.0)), l.y);
    float face = clamp(dot(n, sun), 0.0, 1.0);
    vec3 base;
    if (mode == 0) base = cover(n, l.w);
    else if (mode == 4) base = vec3(0.62);
    else if (mode == 1) {
        float v = between(field, place);
        float t = scale.z > 0.5 ? log(1.0 + max(v - scale.x, 0.0)) / log(1.0 + max(scale.y - scale.x, 1e-6))
                                : (v - scale.x) / max(scale.y - scale.x, 1e-9);
        vec3 c = texture(ramp, vec2(clamp(t, 0.0, 1.0) * 0.996 + 0.002, 0.5)).rgb;
        base = scale.w > 0.5 ? mix(vec3(0.60, 0.61, 0.62), c, smoothstep(0.0, 0.12, t)) : c;
    } else if (mode == 2) {
        vec2 v = texelFetch(field, clamp(ivec2(place + 0.5), ivec2(0), ivec2(size) - 1), 0).rg;
        float s = clamp(length(v) / max(scale.y, 1e-6), 0.0, 1.0);
        base = hsv(atan(v.y, v.x) / 6.283185 + 0.5, 0.85 * smoothstep(0.0, 0.25, s), mix(0.58, 1.0, s));
    } else base = texelFetch(field, clamp(ivec2(place + 0.5), ivec2(0), ivec2(size) - 1), 0).rgb;

    vec3 lamp = vec3(1.0, 0.955, 0.88) * mix(1.25, 1.08, clamp(sun.y, 0.0, 1.0));
    lamp = mix(vec3(1.08, 0.74, 0.50), lamp, smoothstep(0.02, 0.38, sun.y));
    vec3 sky = vec3(0.50, 0.58, 0.70) * mix(0.62, 1.0, clamp(sun.y * 2.0, 0.0, 1.0));
    vec3 c;
    if (mode == 0) {
        float bounce = 0.10 * clamp(0.5 - 0.5 * dot(n, sun), 0.0, 1.0);
        c = base * (lamp * face * l.z * 1.28 + sky * (0.22 + 0.62 * l.w * l.w) + bounce);
        float far = distance(world, cameraPosition);
        c = mix(c, horizon, 1.0 - exp(-haze * far));
        c = c / (1.0 + 0.22 * c);
        c = pow(clamp(c * 1.12, 0.0, 1.0), vec3(0.94));
    } else {
        float shade = 0.30 + 0.55 * face * (0.45 + 0.55 * l.z) + 0.30 * l.w;
        c = base * shade;
    }
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
void main() {
    float ground = at(heights, ivec2(position.xy));
    float h = position.z > 0.5 ? ground : base;
    if (isWater > 0.5) h = position.z > 0.5 ? ground + at(water, ivec2(position.xy)) : ground;
    world = vec3(position.x * cell, h * rise, position.y * cell);
    facing = normal;
    gl_Position = projectionMatrix * viewMatrix * vec4(world, 1.0);
}
`;

export const WALL_FRAGMENT = LAND + NOISE + SKY + /* glsl */ `
uniform vec3 cameraPosition;
uniform float haze;
uniform int mode;
uniform float wires;
uniform vec3 back;
uniform vec2 span;
uniform float dry;
uniform float isWater;
in vec3 world;
in vec3 facing;
out vec4 colour;
void main() {
    if (isWater > 0.5) {
        vec3 sea = vec3(0.10, 0.27, 0.34) * (0.62 + 0.5 * clamp(dot(facing, sun) + 0.3, 0.0, 1.0));
        colour = vec4(mix(sea, horizon, 1.0 - exp(-haze * distance(world, cameraPosition))), 0.90);
        return;
    }
    float along = world.x + world.z, relief = max(span.y - span.x, 1.0);
    float y = world.y / rise + 0.02 * relief * fbm(vec2(along / (relief * 0.9), 3.0));
    float band = 0.5 + 0.5 * noise(vec2(0.5, y / (relief * 0.035)));
    vec3 c = mix(vec3(0.46, 0.40, 0.335), vec3(0.66, 0.585, 0.49), band);
    if (dry > 0.5) c = mix(vec3(0.46, 0.27, 0.18), vec3(0.70, 0.49, 0.34), smoothstep(0.62, 0.88, band));
    c *= 0.95 + 0.08 * noise(vec2(along, y * 6.0) / (cell * 1.5));
    if (mode != 0) c = vec3(dot(c, vec3(0.3333))) * 0.75;
    float light = 0.52 + 0.42 * clamp(dot(facing, sun) + 0.25, 0.0, 1.0);
    c *= light;
    c = mix(c, horizon, mode == 0 ? 1.0 - exp(-haze * distance(world, cameraPosition)) : 0.0);
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

export const SKY_FRAGMENT = /* glsl */ `
precision highp float;
` + SKY + /* glsl */ `
uniform vec3 back;
uniform float wires;
in vec3 ray;
out vec4 colour;
void main() {
    vec3 d = normalize(ray);
    bool sky = isNatural > 0.5 && wires < 1.5;
    vec3 c = sky ? skyColour(d) : back;
    // Below the horizon the table on which the block stands.
    if (sky) c = mix(c, mix(vec3(0.86, 0.875, 0.885), vec3(0.70, 0.73, 0.76), clamp(-d.y * 1.5, 0.0, 1.0)) * (0.55 + 0.45 * clamp(sun.y * 2.2, 0.0, 1.0)), smoothstep(0.02, -0.12, d.y));
    colour = vec4(c, 1.0);
}
`;
