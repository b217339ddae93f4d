// water_surface.ts: particles of water as one surface. Little balls are drawn as distances from the eye, these are
// smoothed along the screen, and the surface that comes out is shaded (W. van der Laan, S. Green, M. Sainz, Screen space
// fluid rendering with curvature flow, 2009, with a filter in place of the flow). The cost does not grow with the number
// of particles, but with that of pixels.
import {
    AdditiveBlending, BufferAttribute, BufferGeometry, Camera, Color, FloatType, GLSL3, HalfFloatType, Mesh, NearestFilter, PerspectiveCamera,
    Points, RawShaderMaterial, RedFormat, Scene, Vector2, Vector3, Vector4, WebGLRenderer, WebGLRenderTarget,
} from 'three';

const BALLS_VERTEX = `
precision highp float;
uniform mat4 modelViewMatrix, projectionMatrix;
uniform float radius, pixels;  // metres; height of the picture
uniform vec4 plane;            // what lies beyond it is not drawn; 0: no plane
in vec3 position;
out vec3 centre;
void main() {
    vec4 at = modelViewMatrix * vec4(position, 1.0);
    centre = at.xyz;
    gl_Position = projectionMatrix * at;
    gl_PointSize = radius * projectionMatrix[1][1] * pixels / gl_Position.w;
    if (dot(plane.xyz, position) + plane.w < 0.0)
        gl_Position = vec4(0.0, 0.0, 2.0, 1.0);
}`;

const BALLS_FRAGMENT = `
precision highp float;
uniform mat4 projectionMatrix;
uniform float radius, isDepth;
in vec3 centre;
out vec4 colour;
void main() {
    vec2 across = 2.0 * gl_PointCoord - 1.0;
    float square = dot(across, across);
    if (square > 1.0)
        discard;
    float bulge = sqrt(1.0 - square);
    vec4 at = projectionMatrix * vec4(centre + vec3(across.x, -across.y, bulge) * radius, 1.0);
    gl_FragDepth = 0.5 + 0.5 * at.z / at.w;
    colour = vec4(isDepth > 0.5 ? at.w : 2.0 * bulge * radius);
}`;

const SHEET_VERTEX = `
precision highp float;
in vec3 position;
out vec2 uv;
void main() {
    uv = 0.5 + 0.5 * position.xy;
    gl_Position = vec4(position.xy, 0.0, 1.0);
}`;

/** The mean of the distances along a line of pixels, of those that belong to the same water. */
const SMOOTH_FRAGMENT = `
precision highp float;
uniform sampler2D depths;
uniform vec2 along;       // one pixel
uniform float radius, scale;
in vec2 uv;
out vec4 colour;
void main() {
    float here = texture(depths, uv).r;
    colour = vec4(here);
    if (here <= 0.0)
        return;
    float reach = clamp(3.5 * radius * scale / here, 1.0, 28.0), sum = 0.0, weights = 0.0, stride = max(1.0, reach / 9.0);
    for (float i = -9.0; i <= 9.0; i += 1.0) {
        float d = texture(depths, uv + i * stride * along).r, far = (d - here) / (3.0 * radius), off = i / 4.5;
        float w = d <= 0.0 ? 0.0 : exp(-off * off) * exp(-far * far);
        sum += w * clamp(d, here - 2.0 * radius, here + 2.0 * radius);
        weights += w;
    }
    colour = vec4(sum / weights);
}`;

const SHADE_FRAGMENT = `
precision highp float;
uniform sampler2D depths, thickness;
uniform mat4 projectionMatrix;
uniform vec2 pixel;
uniform vec3 sun, horizon, zenith, up; // directions as the eye sees them
uniform float radius;
in vec2 uv;
out vec4 colour;

vec3 place(vec2 at, float depth) {
    return vec3((2.0 * at - 1.0) * depth / vec2(projectionMatrix[0][0], projectionMatrix[1][1]), -depth);
}

/** Towards the neighbour that is nearer in depth: across an edge the other one is no surface. */
vec3 along(vec2 by, vec3 here, float depth) {
    float a = texture(depths, uv + by).r, b = texture(depths, uv - by).r;
    vec3 to = place(uv + by, a) - here, from = here - place(uv - by, b);
    bool forward = a > 0.0 && (b <= 0.0 || abs(a - depth) < abs(b - depth));
    return forward ? to : b > 0.0 ? from : vec3(by.x > 0.0 ? pixel.x : 0.0, by.y > 0.0 ? pixel.y : 0.0, 0.0);
}

void main() {
    float depth = texture(depths, uv).r;
    if (depth <= 0.0)
        discard;
    vec3 here = place(uv, depth), normal = normalize(cross(along(vec2(pixel.x, 0.0), here, depth), along(vec2(0.0, pixel.y), here, depth)));
    vec3 view = normalize(-here), mirror = reflect(-view, normal);
    float facing = max(dot(normal, view), 0.0), fresnel = 0.02 + 0.98 * pow(1.0 - facing, 5.0);
    float deep = 1.0 - exp(-texture(thickness, uv).r / (7.0 * radius));
    vec3 sky = mix(horizon, zenith, clamp(dot(mirror, up), 0.0, 1.0));
    vec3 water = mix(vec3(0.26, 0.60, 0.74), vec3(0.02, 0.22, 0.42), deep) * (0.55 + 0.45 * max(dot(normal, sun), 0.0));
    float glint = pow(max(dot(mirror, sun), 0.0), 90.0);
    colour = vec4(mix(water, sky, fresnel) + vec3(1.0, 0.96, 0.88) * 0.8 * glint, mix(0.5, 0.95, deep) * (1.0 - fresnel) + fresnel);
    vec4 at = projectionMatrix * vec4(here, 1.0);
    gl_FragDepth = 0.5 + 0.5 * at.z / at.w;
}`;

function sheet(fragmentShader: string, uniforms: Record<string, { value: unknown }>, more: object = {}): { scene: Scene; material: RawShaderMaterial } {
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new BufferAttribute(new Float32Array([-1, -1, 0, 3, -1, 0, -1, 3, 0]), 3));
    const material = new RawShaderMaterial({ glslVersion: GLSL3, vertexShader: SHEET_VERTEX, fragmentShader, uniforms, depthTest: false, depthWrite: false, ...more });
    const mesh = new Mesh(geometry, material);
    mesh.frustumCulled = false;
    return { scene: new Scene().add(mesh), material };
}

function target(type: typeof FloatType | typeof HalfFloatType, depthBuffer: boolean): WebGLRenderTarget {
    return new WebGLRenderTarget(1, 1, { format: RedFormat, type, depthBuffer, minFilter: NearestFilter, magFilter: NearestFilter });
}

export class WaterSurface {
    private readonly depths = [target(FloatType, true), target(FloatType, false)];
    private readonly thickness = target(HalfFloatType, false);
    private readonly shared = { radius: { value: 1 }, pixels: { value: 1 }, plane: { value: new Vector4() } };
    private readonly geometry = new BufferGeometry();
    private readonly balls: Scene[];
    private readonly smooth = sheet(SMOOTH_FRAGMENT, { depths: { value: null }, along: { value: new Vector2() }, scale: { value: 1 }, radius: this.shared.radius });
    private readonly shade = sheet(SHADE_FRAGMENT, {
        depths: { value: null }, thickness: { value: this.thickness.texture }, projectionMatrix: { value: null }, pixel: { value: new Vector2() },
        sun: { value: new Vector3() }, up: { value: new Vector3() }, radius: this.shared.radius,
        horizon: { value: new Vector3(0.78, 0.83, 0.88) }, zenith: { value: new Vector3(0.40, 0.58, 0.78) },
    }, { depthTest: true, depthWrite: true, transparent: true });

    constructor() {
        this.balls = [true, false].map((isDepth) => {
            const points = new Points(this.geometry, new RawShaderMaterial({
                glslVersion: GLSL3, vertexShader: BALLS_VERTEX, fragmentShader: BALLS_FRAGMENT,
                uniforms: { ...this.shared, isDepth: { value: isDepth ? 1 : 0 } },
                ...(isDepth ? {} : { blending: AdditiveBlending, transparent: true, depthTest: false, depthWrite: false }),
            }));
            points.frustumCulled = false;
            return new Scene().add(points);
        });
    }

    /** Places as the view has them: y is up. */
    set(places: Float32Array, spacing: number): void {
        this.geometry.setAttribute('position', new BufferAttribute(places, 3));
        this.shared.radius.value = spacing * 0.95;
    }

    cut(normal: Vector3 | null, constant: number): void {
        this.shared.plane.value.set(normal?.x ?? 0, normal?.y ?? 0, normal?.z ?? 0, normal ? constant : 0);
    }

    draw(renderer: WebGLRenderer, camera: PerspectiveCamera, sun: Vector3): void {
        const size = renderer.getDrawingBufferSize(new Vector2()), before = renderer.getRenderTarget();
        for (const each of [...this.depths, this.thickness])
            if (each.width !== size.x || each.height !== size.y)
                each.setSize(size.x, size.y);
        this.shared.pixels.value = size.y;
        const colour = renderer.getClearColor(new Color()), alpha = renderer.getClearAlpha();
        renderer.setClearColor(0x000000, 0);
        const into = (where: WebGLRenderTarget, scene: Scene, eye: Camera) => {
            renderer.setRenderTarget(where);
            renderer.clear();
            renderer.render(scene, eye);
        };
        into(this.depths[0], this.balls[0], camera);
        into(this.thickness, this.balls[1], camera);
        const { depths, along, scale } = this.smooth.material.uniforms;
        scale.value = (camera.projectionMatrix.elements[5] * size.y) / 2;
        for (let turn = 0; turn < 4; turn++) { // across and along, twice
            depths.value = this.depths[turn % 2].texture;
            (along.value as Vector2).set(turn % 2 ? 0 : 1 / size.x, turn % 2 ? 1 / size.y : 0);
            into(this.depths[1 - (turn % 2)], this.smooth.scene, camera);
        }
        renderer.setClearColor(colour, alpha);
        renderer.setRenderTarget(before);
        const shade = this.shade.material.uniforms;
        shade.depths.value = this.depths[0].texture;
        shade.projectionMatrix.value = camera.projectionMatrix;
        (shade.pixel.value as Vector2).set(1 / size.x, 1 / size.y);
        (shade.sun.value as Vector3).copy(sun).transformDirection(camera.matrixWorldInverse);
        (shade.up.value as Vector3).set(0, 1, 0).transformDirection(camera.matrixWorldInverse);
        renderer.render(this.shade.scene, camera);
    }
}
