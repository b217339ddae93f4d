// ground.ts: one land on the GPU: its textures, the light on it, and what draws it.
import {
    Box3, BufferAttribute, BufferGeometry, DataTexture, FloatType, Frustum, GLSL3, HalfFloatType, InstancedBufferAttribute,
    InstancedBufferGeometry, LinearFilter, Matrix4, Mesh, NearestFilter, OrthographicCamera, RedFormat, RGFormat, RGBAFormat,
    RawShaderMaterial, Scene, UnsignedByteType, Vector2, Vector3, Vector4, WebGLRenderTarget, type IUniform,
    type PerspectiveCamera, type PixelFormat, type WebGLRenderer,
} from 'three';
import { linesOf, tracesOf } from './cover_lines';
import { rampPixels } from './ramps';
import {
    GROUND_FRAGMENT, GROUND_VERTEX, LIGHT_FRAGMENT, LIGHT_VERTEX, SKY_FRAGMENT, SKY_VERTEX, WALL_FRAGMENT, WALL_VERTEX,
} from './shaders';

/** Quads along the side of a tile. */
const QUADS = 32;
const TILES = 2048;

export interface Grid {
    width: number;
    height: number;
    cell: number;
    heights: Float32Array;
    water: Float32Array | null;
    /** How much water has run over each cell, and how much ground was laid down and taken away. */
    flow: Float32Array | null;
    deposited: Float32Array | null;
    eroded: Float32Array | null;
    /** How much of each cell layers cover. */
    layers: Float32Array | null;
}

/** What both lands of a comparison have in common. */
export interface Shared {
    [name: string]: IUniform;
    sun: IUniform<Vector3>;
    horizon: IUniform<Vector3>;
    zenith: IUniform<Vector3>;
    isNatural: IUniform<number>;
    rise: IUniform<number>;
    wires: IUniform<number>;
    back: IUniform<Vector3>;
    haze: IUniform<number>;
    nearest: IUniform<number>;
    unproject: IUniform<Matrix4>;
    time: IUniform<number>;
    brush: IUniform<Vector4>;
}

function patch(): BufferGeometry {
    const points: number[] = [], faces: number[] = [];
    for (let y = 0; y <= QUADS; y++)
        for (let x = 0; x <= QUADS; x++)
            points.push(x, y, 0);
    for (let y = 0; y < QUADS; y++)
        for (let x = 0; x < QUADS; x++) {
            const a = y * (QUADS + 1) + x, b = a + QUADS + 1;
            faces.push(a, b + 1, a + 1, a, b, b + 1);
        }
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new BufferAttribute(new Float32Array(points), 3));
    geometry.setIndex(faces);
    return geometry;
}

function floatTexture(data: Float32Array, width: number, height: number, format: PixelFormat): DataTexture {
    const texture = new DataTexture(data as Float32Array<ArrayBuffer>, width, height, format, FloatType);
    texture.minFilter = texture.magFilter = NearestFilter;
    texture.needsUpdate = true;
    return texture;
}

/** Smooth between cells. */
function traceTexture(halves: Uint16Array, width: number, height: number): DataTexture {
    const texture = new DataTexture(halves as Uint16Array<ArrayBuffer>, width, height, RGBAFormat, HalfFloatType);
    texture.minFilter = texture.magFilter = LinearFilter;
    texture.needsUpdate = true;
    return texture;
}

const nothing = (): DataTexture => floatTexture(new Float32Array(1), 1, 1, RedFormat);

export class Ground {
    readonly scene = new Scene();
    grid: Grid | null = null;
    span = new Vector2(0, 1);
    /** Metres; null: as high as mountains have it. */
    snowLine: number | null = null;
    private readonly uniforms: Record<string, IUniform>;
    private readonly tiles: InstancedBufferGeometry;
    private readonly places = new InstancedBufferAttribute(new Float32Array(4 * TILES), 4);
    private readonly walls: Mesh<BufferGeometry, RawShaderMaterial>;
    private readonly shores: Mesh<BufferGeometry, RawShaderMaterial>;
    private readonly water: Mesh;
    private readonly dome: Mesh<BufferGeometry, RawShaderMaterial>;
    private light: WebGLRenderTarget | null = null;
    private readonly lamp: { scene: Scene; camera: OrthographicCamera; material: RawShaderMaterial };
    private dark = true;

    constructor(shared: Shared) {
        this.uniforms = {
            ...shared,
            heights: { value: nothing() }, water: { value: nothing() }, field: { value: nothing() },
            light: { value: null }, ramp: { value: nothing() }, traces: { value: traceTexture(new Uint16Array(4), 1, 1) }, much: { value: 0 }, wet: { value: 0 },
            size: { value: new Vector2(1, 1) }, cell: { value: 1 }, reach: { value: 1 }, mode: { value: 0 },
            scale: { value: new Vector4(0, 1, 0, 0) }, span: { value: this.span }, lines: { value: new Vector4() }, base: { value: -1e9 },
        };
        const material = (vertexShader: string, fragmentShader: string, more: Record<string, IUniform> = {}) =>
            new RawShaderMaterial({ glslVersion: GLSL3, vertexShader, fragmentShader, uniforms: { ...this.uniforms, ...more } });
        this.tiles = new InstancedBufferGeometry();
        const one = patch();
        this.tiles.setAttribute('position', one.getAttribute('position'));
        this.tiles.setIndex(one.getIndex());
        this.tiles.setAttribute('tile', this.places);
        this.tiles.instanceCount = 0;
        const ground = new Mesh(this.tiles, material(GROUND_VERTEX, GROUND_FRAGMENT, { isWater: { value: 0 } }));
        const wet = material(GROUND_VERTEX, GROUND_FRAGMENT, { isWater: { value: 1 } });
        wet.transparent = true;
        wet.depthWrite = false;
        this.water = new Mesh(this.tiles, wet);
        this.water.renderOrder = 1;
        this.walls = new Mesh(new BufferGeometry(), material(WALL_VERTEX, WALL_FRAGMENT, { isWater: { value: 0 } }));
        this.shores = new Mesh(this.walls.geometry, material(WALL_VERTEX, WALL_FRAGMENT, { isWater: { value: 1 } }));
        this.shores.material.transparent = true;
        this.shores.renderOrder = 2;
        const sheet = new BufferGeometry();
        sheet.setAttribute('position', new BufferAttribute(new Float32Array([-1, -1, 0, 3, -1, 0, -1, 3, 0]), 3));
        this.dome = new Mesh(sheet, material(SKY_VERTEX, SKY_FRAGMENT));
        this.dome.material.depthWrite = false;
        this.dome.renderOrder = 10; // after the land, which hides half of it
        for (const mesh of [ground, this.water, this.walls, this.shores, this.dome]) {
            mesh.frustumCulled = false;
            this.scene.add(mesh);
        }
        const lamp = material(LIGHT_VERTEX, LIGHT_FRAGMENT, { sunSteps: { value: 40 }, skySteps: { value: 5 }, every: { value: 1 } });
        const cover = new Mesh(sheet, lamp);
        cover.frustumCulled = false;
        this.lamp = { scene: new Scene(), camera: new OrthographicCamera(), material: lamp };
        this.lamp.scene.add(cover);
    }

    private exchange(name: string, texture: DataTexture): void {
        (this.uniforms[name].value as DataTexture).dispose();
        this.uniforms[name].value = texture;
    }

    private put(name: string, data: Float32Array | Uint16Array, width: number, height: number, format: PixelFormat): void {
        const there = this.uniforms[name].value as DataTexture;
        if (there.image.width === width && there.image.height === height && there.format === format) {
            there.image.data = data as Float32Array<ArrayBuffer>;
            there.needsUpdate = true;
        } else
            this.exchange(name, data instanceof Uint16Array ? traceTexture(data, width, height) : floatTexture(data, width, height, format));
    }

    set(grid: Grid): void {
        const { width, height, cell, heights } = grid, old = this.grid;
        this.grid = grid;
        this.put('heights', heights, width, height, RedFormat);
        const wet = grid.water !== null && grid.water.length === heights.length;
        if (wet)
            this.put('water', grid.water!, width, height, RedFormat);
        else if ((this.uniforms.water.value as DataTexture).image.width > 1)
            this.exchange('water', nothing());
        const traces = tracesOf(grid);
        this.put('traces', traces?.halves ?? new Uint16Array(4), traces ? width : 1, traces ? height : 1, RGBAFormat);
        this.uniforms.much.value = this.uniforms.dry.value ? 0 : traces?.stream ?? 0;
        this.uniforms.wet.value = wet ? 1 : 0;
        this.water.visible = this.shores.visible = wet && this.uniforms.mode.value === 0;
        (this.uniforms.size.value as Vector2).set(width, height);
        this.uniforms.cell.value = cell;
        let low = Infinity, high = -Infinity;
        for (const h of heights) {
            if (h < low) low = h;
            if (h > high) high = h;
        }
        this.span.set(low, high);
        const relief = high - low, extent = (Math.max(width, height) - 1) * cell;
        this.uniforms.base.value = low - 0.045 * extent;
        const lines = linesOf(grid, low, relief, this.snowLine, this.uniforms.dry.value > 0);
        (this.uniforms.lines.value as Vector4).set(lines.snow, lines.grass, lines.valley, lines.steep);
        if (!old || old.width !== width || old.height !== height)
            this.build(width, height);
        this.dark = true;
    }

    private build(width: number, height: number): void {
        const points: number[] = [], normals: number[] = [], faces: number[] = [];
        const side = (count: number, at: (i: number) => [number, number], normal: number[], turned: boolean) => {
            const first = points.length / 3;
            for (let i = 0; i < count; i++)
                for (const top of [1, 0]) {
                    points.push(...at(i), top);
                    normals.push(...normal);
                }
            for (let i = 0; i + 1 < count; i++) {
                const a = first + 2 * i;
                faces.push(...(turned ? [a, a + 2, a + 1, a + 1, a + 2, a + 3] : [a, a + 1, a + 2, a + 1, a + 3, a + 2]));
            }
        };
        side(width, (i) => [i, 0], [0, 0, -1], true);
        side(width, (i) => [i, height - 1], [0, 0, 1], false);
        side(height, (i) => [0, i], [-1, 0, 0], false);
        side(height, (i) => [width - 1, i], [1, 0, 0], true);
        const geometry = new BufferGeometry();
        geometry.setAttribute('position', new BufferAttribute(new Float32Array(points), 3));
        geometry.setAttribute('normal', new BufferAttribute(new Float32Array(normals), 3));
        geometry.setIndex(faces);
        this.walls.geometry.dispose();
        this.walls.geometry = this.shores.geometry = geometry;
        this.light?.dispose();
        this.light = new WebGLRenderTarget(width, height, {
            type: HalfFloatType, format: RGBAFormat, minFilter: LinearFilter, magFilter: LinearFilter, depthBuffer: false,
        });
        this.uniforms.light.value = this.light.texture;
    }

    /** mode and scale as the shader has them; values: one, two or three numbers a cell. */
    show(mode: number, values: Float32Array | null, parts: 1 | 2 | 4, scale: Vector4, ramp: string | null): void {
        this.uniforms.mode.value = mode;
        (this.uniforms.scale.value as Vector4).copy(scale);
        if (values && this.grid)
            this.put('field', values, this.grid.width, this.grid.height, [RedFormat, RGFormat, , RGBAFormat][parts - 1]!);
        if (ramp) {
            const texture = new DataTexture(rampPixels(ramp), 256, 1, RGBAFormat, UnsignedByteType);
            texture.minFilter = texture.magFilter = LinearFilter;
            texture.needsUpdate = true;
            this.exchange('ramp', texture);
        }
        this.water.visible = this.shores.visible = mode === 0 && (this.uniforms.water.value as DataTexture).image.width > 1;
    }

    /** The cut sides of the block, and its edge as a box. */
    get block(): boolean { return this.walls.visible; }
    set block(on: boolean) { this.walls.visible = on; }

    dim(): void { this.dark = true; }

    /** No land: a bare floor at this height, for what is so wide. */
    clear(low: number, wide: number): void {
        const rise = this.uniforms.rise.value;
        this.uniforms.base.value = low / rise;
        this.uniforms.cell.value = wide;
        (this.uniforms.size.value as Vector2).set(2, 2);
        this.span.set(low / rise, low / rise);
    }

    /** The air between the camera and the block; `haze` hides a third of what is as far away as the block is wide. */
    breathe(haze: number, camera: PerspectiveCamera): void {
        const { width, height, cell } = this.grid!, rise = this.uniforms.rise.value, x = (width - 1) * cell, z = (height - 1) * cell;
        this.uniforms.haze.value = haze / Math.max(x, z);
        this.uniforms.nearest.value = new Box3(new Vector3(0, this.uniforms.base.value * rise, 0), new Vector3(x, this.span.y * rise, z)).distanceToPoint(camera.position);
    }

    /** The light, where something has changed. quick: with fewer steps, for a land that changes all the time; without a GPU of
     *  every second cell there, since it draws no more pixels than that. */
    illuminate(renderer: WebGLRenderer, quick: boolean): void {
        if (!this.dark || !this.light)
            return;
        const { width, height } = this.grid!, every = quick && !this.uniforms.isFine.value && Math.max(width, height) > 256 ? 2 : 1;
        this.light.setSize(Math.ceil(width / every), Math.ceil(height / every));
        this.lamp.material.uniforms.every.value = every;
        this.lamp.material.uniforms.sunSteps.value = quick ? 14 : 40;
        this.lamp.material.uniforms.skySteps.value = quick ? 2 : 5;
        renderer.setRenderTarget(this.light);
        renderer.render(this.lamp.scene, this.lamp.camera);
        renderer.setRenderTarget(null);
        this.dark = false;
    }

    /** Chooses tiles: the nearer, the finer; about `pixels` a quad. */
    choose(camera: PerspectiveCamera, screen: number, pixels: number): void {
        const grid = this.grid;
        if (!grid)
            return;
        const { width, height, cell } = grid, array = this.places.array as Float32Array;
        const focal = screen / (2 * Math.tan((camera.fov * Math.PI) / 360));
        const reach = Math.max((cell * focal) / pixels, 2.6 * QUADS * cell); // levels must not skip one
        this.uniforms.reach.value = reach;
        let levels = 0;
        while (QUADS << levels < Math.max(width, height) - 1)
            levels++;
        const rise = this.uniforms.rise.value, low = this.span.x * rise, high = this.span.y * rise;
        const { x, y, z } = camera.position;
        const sight = new Frustum().setFromProjectionMatrix(new Matrix4().multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse)), box = new Box3();
        let count = 0;
        const add = (cx: number, cz: number, level: number): void => {
            const span = (QUADS << level) * cell, x0 = cx * cell, z0 = cz * cell;
            if (cx >= width - 1 || cz >= height - 1 || count >= TILES)
                return;
            box.min.set(x0, low, z0);
            box.max.set(x0 + span, high, z0 + span);
            if (!sight.intersectsBox(box))
                return;
            const dx = Math.max(x0 - x, 0, x - x0 - span), dz = Math.max(z0 - z, 0, z - z0 - span);
            const dy = Math.max(low - y, 0, y - high), finer = reach * (1 << (level - 1));
            if (level > 0 && dx * dx + dy * dy + dz * dz < finer * finer) {
                const half = QUADS << (level - 1);
                const nearest = (x > x0 + 0.5 * span ? 1 : 0) + (z > z0 + 0.5 * span ? 2 : 0); // what it hides is not shaded
                for (const turned of [0, 1, 2, 3])
                    add(cx + half * ((nearest ^ turned) & 1), cz + half * ((nearest ^ turned) >> 1), level - 1);
                return;
            }
            array.set([cx, cz, 1 << level, 0], 4 * count++);
        };
        add(0, 0, levels);
        this.places.clearUpdateRanges();
        this.places.addUpdateRange(0, 4 * count);
        this.places.needsUpdate = true;
        this.tiles.instanceCount = count;
    }

    /** Height in metres between cells. */
    heightAt(px: number, py: number): number {
        const { width, height, heights } = this.grid!;
        const x = Math.min(Math.max(px, 0), width - 1.001), y = Math.min(Math.max(py, 0), height - 1.001);
        const i = Math.floor(x), j = Math.floor(y), f = x - i, g = y - j, k = j * width + i;
        const below = Math.min(j + 1, height - 1) * width + i, right = Math.min(i + 1, width - 1) - i;
        return (heights[k] * (1 - f) + heights[k + right] * f) * (1 - g) + (heights[below] * (1 - f) + heights[below + right] * f) * g;
    }
}
