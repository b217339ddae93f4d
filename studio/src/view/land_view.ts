// land_view.ts: the middle of the page: camera, sun, one land or two beside each other. It draws only when something
// has changed.
import {
    Matrix4, PerspectiveCamera, Vector2, Vector3, Vector4, WebGLRenderer,
} from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { grainTextures } from './grain';
import { Ground, type Grid, type Shared } from './ground';
import { ALPINE, DESERT, skyOf } from './palettes';
import type { Cover } from '../looks';

/** How far the camera looks down, at first. */
const TILT = 0.5;

export interface Hit { x: number; y: number }

/** How a field is coloured. */
export interface Paint {
    mode: number;
    values: Float32Array | null;
    parts: 1 | 2 | 4;
    from: number;
    to: number;
    logarithmic: boolean;
    fades: boolean;
    ramp: string | null;
}

export const NATURAL: Paint =
    { mode: 0, values: null, parts: 1, from: 0, to: 1, logarithmic: false, fades: false, ramp: null };

/** Is there no GPU, so that the processor draws? */
function isSoftware(): boolean {
    const gl = document.createElement('canvas').getContext('webgl2');
    if (!gl)
        throw new Error('This browser has no WebGL 2, which the view of the land needs.');
    const info = gl.getExtension('WEBGL_debug_renderer_info');
    const name = String(gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
    gl.getExtension('WEBGL_lose_context')?.loseContext();
    return /swiftshader|llvmpipe|software/i.test(name);
}

export class LandView {
    readonly canvas: HTMLCanvasElement;
    readonly camera = new PerspectiveCamera(36, 1, 1, 1e6);
    readonly land: Ground;
    readonly original: Ground;
    /** Where no land is, or a scene: the sky and the floor alone. */
    private readonly nowhere: Ground;
    private palette = ALPINE;
    private altitude = 38;
    private readonly renderer: WebGLRenderer;
    private readonly controls: OrbitControls;
    private readonly shared: Shared;
    private dirty = true;
    private framed = '';
    /** Has the camera been moved by hand since? */
    private isMoved = false;
    /** What a scene fills. */
    private box: { low: number[]; high: number[] } | null = null;
    private isQuick = false;
    private frames: number[] = [];
    /** Pixels that are drawn, of those that there are, along a side. */
    private ratio = 1;
    private walking: { yaw: number; pitch: number } | null = null;
    private keys = new Set<string>();
    /** Where the pad under a thumb wants to go: aside and ahead, -1 to 1. */
    private stick = { aside: 0, ahead: 0 };
    onWalk: (on: boolean) => void = () => {};
    /** Share of the width at which the comparison is cut; 0: no comparison. */
    swipe = 0;
    showOriginal = false;
    /** Drawn in place of the land, such as a solid. */
    other: { draw(renderer: WebGLRenderer, camera: PerspectiveCamera): void } | null = null;
    onFrame: (ms: number) => void = () => {};

    constructor(private readonly host: HTMLElement, private readonly still: boolean) {
        const isSlow = isSoftware();
        this.ratio = isSlow ? 0.5 : 1;
        this.renderer = new WebGLRenderer({ antialias: !isSlow, powerPreference: 'high-performance' });
        this.renderer.autoClear = false;
        this.renderer.localClippingEnabled = true;
        this.canvas = this.renderer.domElement;
        this.canvas.tabIndex = 0;
        this.canvas.setAttribute('role', 'img');
        this.canvas.setAttribute('aria-label', 'The land');
        host.prepend(this.canvas);
        const { grain, bumps } = grainTextures();
        this.shared = {
            sun: { value: new Vector3(0, 1, 0) }, sunlight: { value: new Vector3() }, horizon: { value: new Vector3() }, zenith: { value: new Vector3() },
            exposure: { value: 1 }, roughness: { value: 1 }, tints: { value: ALPINE.tints.map((rgb) => new Vector3(...rgb)) },
            isNatural: { value: 1 }, rise: { value: 1 }, wires: { value: 0 }, back: { value: new Vector3(0.1, 0.11, 0.12) },
            haze: { value: 0 }, nearest: { value: 0 }, unproject: { value: new Matrix4() }, time: { value: 0 }, brush: { value: new Vector4(0, 0, 0, 0) },
            grain: { value: grain }, bumps: { value: bumps }, isFine: { value: isSlow ? 0 : 1 }, dry: { value: 0 },
        };
        this.land = new Ground(this.shared);
        this.original = new Ground(this.shared);
        this.nowhere = new Ground(this.shared);
        this.controls = new OrbitControls(this.camera, this.canvas);
        this.controls.zoomToCursor = true;
        this.controls.enableDamping = !still;
        this.controls.dampingFactor = 0.12;
        this.controls.maxPolarAngle = 1.52;
        this.controls.addEventListener('change', () => this.draw());
        this.controls.addEventListener('start', () => { this.isMoved = true; });
        this.setSun(315, 38);
        this.renderer.debug.checkShaderErrors = import.meta.env.DEV;
        this.renderer.compile(this.land.scene, this.camera); // while the engine is still on its way
        new ResizeObserver(() => {
            this.resize();
            if (!this.isMoved && !this.walking) // a window that was made narrow, a phone that was turned
                this.frame();
        }).observe(host);
        this.resize();
        requestAnimationFrame((t) => this.tick(t));
    }

    // ---- what is shown ----

    /** Gives the way to it. */
    setSun(azimuth: number, altitude: number): Vector3 {
        const a = (azimuth * Math.PI) / 180, h = (altitude * Math.PI) / 180;
        this.shared.sun.value.set(Math.sin(a) * Math.cos(h), Math.sin(h), -Math.cos(a) * Math.cos(h));
        this.altitude = altitude;
        this.setLight();
        this.land.dim();
        this.original.dim();
        this.draw();
        return this.shared.sun.value;
    }

    private setLight(): void {
        const { sunlight, zenith, horizon } = skyOf(this.palette, this.altitude);
        this.shared.sunlight.value.copy(sunlight);
        this.shared.zenith.value.copy(zenith);
        this.shared.horizon.value.copy(horizon);
        this.shared.exposure.value = this.palette.exposure;
        this.shared.roughness.value = this.palette.bumps;
        this.palette.tints.forEach((rgb, i) => this.shared.tints.value[i].set(...rgb));
    }

    setBack(colour: [number, number, number]): void {
        this.shared.back.value.set(...colour);
        this.draw();
    }

    setRise(rise: number): void {
        this.shared.rise.value = rise;
        this.land.dim();
        this.original.dim();
        this.draw();
    }

    /** What grows on natural land, or does not: for what is shown from now on. */
    setCover({ isDry, snow }: Cover): void {
        this.shared.dry.value = isDry ? 1 : 0;
        this.palette = isDry ? DESERT : ALPINE;
        this.setLight();
        this.land.snowLine = this.original.snowLine = snow;
    }

    setWires(wires: 0 | 1 | 2): void {
        this.shared.wires.value = wires;
        this.draw();
    }

    toggleBlock(): void {
        for (const ground of [this.land, this.original])
            ground.block = !ground.block;
        this.draw();
    }

    setBrush(place: { x: number; y: number } | null, radius: number): void {
        const { cell } = this.land.grid ?? { cell: 1 };
        this.shared.brush.value.set((place?.x ?? 0) * cell, (place?.y ?? 0) * cell, radius, place ? 1 : 0);
        this.draw();
    }

    set(grid: Grid, quick: boolean): void {
        this.isQuick = quick;
        this.land.set(grid);
        this.frameOnce(grid);
        this.draw();
    }

    setOriginal(grid: Grid): void {
        this.original.set(grid);
        this.draw();
    }

    /** The run is over: the light may take its time. */
    settle(): void {
        this.isQuick = false;
        this.land.dim();
        this.draw();
    }

    paint(ground: Ground, p: Paint): void {
        this.shared.isNatural.value = p.mode === 0 ? 1 : 0;
        ground.show(p.mode, p.values, p.parts, new Vector4(p.from, p.to, p.logarithmic ? 1 : 0, p.fades ? 1 : 0), p.ramp);
        this.draw();
    }

    // ---- camera ----

    /** A land of another extent is looked at anew; so is one that has grown out of sight, where nobody has moved the
     *  camera. */
    private frameOnce(grid: Grid): void {
        const extent = `${Math.round((grid.width - 1) * grid.cell)} ${Math.round((grid.height - 1) * grid.cell)}`;
        const [w, h] = this.framed.split(' ').map(Number), [nw, nh] = extent.split(' ').map(Number);
        const isSame = this.framed && Math.abs(w - nw) < 0.02 * nw && Math.abs(h - nh) < 0.02 * nh;
        const away = this.camera.position.distanceTo(this.controls.target);
        if (isSame && (this.isMoved || this.walking || away > 0.8 * this.fit(grid).away))
            return;
        this.framed = extent;
        this.frame();
    }

    /** So far away that the block fits, with a margin: its corners are as far apart as its diagonal, and high land stands
     *  up in the middle of the picture. */
    private fit(grid: Grid): { middle: Vector3; away: number } {
        const w = (grid.width - 1) * grid.cell, h = (grid.height - 1) * grid.cell, extent = Math.hypot(w, h);
        const { x: low, y: high } = this.land.span, relief = (high - low) * this.shared.rise.value;
        const slope = Math.tan((this.camera.fov * Math.PI) / 360), wide = slope * Math.min(this.camera.aspect, 1.45);
        const away = Math.max(extent * ((this.camera.aspect < 1.2 ? 0.53 : 0.49) / wide + 0.12) + 0.45 * relief, (0.5 * relief * Math.cos(TILT) + 0.36 * extent * Math.sin(TILT)) / slope + 0.5 * extent);
        return { middle: new Vector3(w / 2, low * this.shared.rise.value + 0.5 * relief - 0.02 * extent, h / 2), away };
    }

    /** All of the land, or of the scene. */
    frame(): void {
        const { grid } = this.land;
        this.walking = null;
        this.stick = { aside: 0, ahead: 0 };
        this.onWalk(false);
        this.controls.enabled = true;
        this.isMoved = false;
        if (this.other && this.box)
            return this.frameBox(this.box.low, this.box.high);
        if (!grid)
            return;
        const { middle, away } = this.fit(grid);
        this.aim(middle, away);
    }

    private aim(target: Vector3, away: number): void {
        const turn = 0.62, tilt = TILT;
        this.controls.target.copy(target);
        this.camera.position.set(target.x + away * Math.sin(turn) * Math.cos(tilt), target.y + away * Math.sin(tilt),
            target.z + away * Math.cos(turn) * Math.cos(tilt));
        this.controls.minDistance = away * 0.01;
        this.controls.maxDistance = away * 4;
        this.camera.near = away * 0.002;
        this.camera.far = away * 8;
        this.camera.updateProjectionMatrix();
        this.controls.update();
        this.draw();
    }

    /** Looks at a box, such as that of a scene. */
    frameBox(low: number[], high: number[]): void {
        const size = new Vector3(high[0] - low[0], high[2] - low[2], high[1] - low[1]);
        this.framed = '';
        this.box = { low, high };
        this.nowhere.clear(low[2], size.length());
        this.aim(new Vector3((low[0] + high[0]) / 2, (low[2] + high[2]) / 2, -(low[1] + high[1]) / 2), (size.length() * 1.6) / Math.min(this.camera.aspect, 1));
    }

    get isWalking(): boolean { return this.walking !== null; }

    /** On foot: the arrow keys or the pad go, dragging looks around. */
    walk(on: boolean): void {
        if (!this.land.grid || this.other || on === this.isWalking)
            return;
        if (!on)
            return this.frame();
        const to = this.controls.target;
        this.walking = { yaw: Math.atan2(this.camera.position.x - to.x, this.camera.position.z - to.z), pitch: 0 };
        this.controls.enabled = false;
        this.camera.position.set(to.x, 0, to.z);
        this.camera.near = 0.5;
        this.camera.updateProjectionMatrix();
        this.onWalk(true);
        this.draw();
    }

    turn(dx: number, dy: number): void {
        if (!this.walking)
            return;
        this.walking.yaw += dx * 0.004;
        this.walking.pitch = Math.min(1.3, Math.max(-1.3, this.walking.pitch + dy * 0.004));
        this.draw();
    }

    steer(aside: number, ahead: number): void {
        this.stick = { aside, ahead };
        this.draw();
    }

    press(key: string, down: boolean): void {
        if (down)
            this.keys.add(key);
        else
            this.keys.delete(key);
        this.draw();
    }

    private step(seconds: number): void {
        const grid = this.land.grid!, { yaw, pitch } = this.walking!, p = this.camera.position;
        const ahead = (this.keys.has('ArrowUp') ? 1 : 0) - (this.keys.has('ArrowDown') ? 1 : 0) + this.stick.ahead;
        const aside = (this.keys.has('ArrowRight') ? 1 : 0) - (this.keys.has('ArrowLeft') ? 1 : 0) + this.stick.aside;
        const pace = 0.06 * Math.max(grid.width, grid.height) * grid.cell * Math.min(seconds, 0.1);
        p.x += (-Math.sin(yaw) * ahead + Math.cos(yaw) * aside) * pace;
        p.z += (-Math.cos(yaw) * ahead - Math.sin(yaw) * aside) * pace;
        p.x = Math.min(Math.max(p.x, 0), (grid.width - 1) * grid.cell);
        p.z = Math.min(Math.max(p.z, 0), (grid.height - 1) * grid.cell);
        const eye = Math.max(2, 0.6 * grid.cell);
        p.y = this.land.heightAt(p.x / grid.cell, p.z / grid.cell) * this.shared.rise.value + eye;
        this.camera.rotation.set(pitch, yaw, 0, 'YXZ');
        if (ahead || aside)
            this.dirty = true;
    }

    /** The land that is drawn there: in a comparison the original left of the swipe. */
    private groundAt(clientX: number): Ground {
        const box = this.canvas.getBoundingClientRect();
        return this.original.grid && (this.showOriginal || clientX < box.left + box.width * this.swipe) ? this.original : this.land;
    }

    isOriginalAt(clientX: number): boolean { return this.groundAt(clientX) === this.original; }

    /** The cell under a point of the page. */
    pick(clientX: number, clientY: number): Hit | null {
        const ground = this.groundAt(clientX), { grid } = ground;
        if (!grid)
            return null;
        const box = this.canvas.getBoundingClientRect();
        const ndc = new Vector2(((clientX - box.left) / box.width) * 2 - 1, 1 - ((clientY - box.top) / box.height) * 2);
        const from = this.camera.position.clone(), to = new Vector3(ndc.x, ndc.y, 0.5).unproject(this.camera).sub(from).normalize();
        const { cell, width, height } = grid, rise = this.shared.rise.value;
        const low = ground.span.x * rise, high = ground.span.y * rise;
        // Into the box of the land, then in strides of its height above it.
        let t = to.y < 0 ? Math.max(0, (high - from.y) / to.y) : from.y > high ? Infinity : 0;
        const end = Math.hypot(width, height) * cell * 6;
        for (let i = 0; i < 1500 && t < end; i++) {
            const x = (from.x + to.x * t) / cell, z = (from.z + to.z * t) / cell, y = from.y + to.y * t;
            if (y < low && to.y < 0)
                return null;
            const inside = x >= 0 && z >= 0 && x <= width - 1 && z <= height - 1;
            const above = inside ? y - ground.heightAt(x, z) * rise : cell * 4;
            if (inside && above < 0.02 * cell)
                return { x, y: z };
            t += Math.max(above * 0.4, 0.25 * cell);
        }
        return null;
    }

    /** Where a cell is seen, in the page. */
    project(x: number, y: number): { x: number; y: number } {
        const { cell } = this.land.grid!, box = this.canvas.getBoundingClientRect();
        const p = new Vector3(x * cell, this.land.heightAt(x, y) * this.shared.rise.value, y * cell).project(this.camera);
        return { x: box.left + ((p.x + 1) / 2) * box.width, y: box.top + ((1 - p.y) / 2) * box.height };
    }

    set orbits(on: boolean) { this.controls.enabled = on && !this.walking; }

    // ---- drawing ----

    draw(): void { this.dirty = true; }

    private resize(): void {
        const { clientWidth: w, clientHeight: h } = this.host;
        if (!w || !h)
            return;
        this.camera.aspect = w / h;
        this.camera.updateProjectionMatrix();
        this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2) * this.ratio);
        this.renderer.setSize(w, h);
        this.dirty = true;
        if (this.land.grid)
            this.render(); // at once, so that nothing flickers
    }

    private last = 0;
    private tick(t: number): void {
        requestAnimationFrame((next) => this.tick(next));
        const seconds = (t - this.last) / 1000;
        this.last = t;
        if (this.walking)
            this.step(seconds);
        else
            this.controls.update();
        if (!this.still && this.land.grid?.water && this.shared.isNatural.value && this.ratio === 1) {
            this.shared.time.value = t / 4000; // ripples
            this.dirty = true;
        }
        if (!this.dirty || document.hidden)
            return;
        const start = performance.now();
        this.render();
        this.measure(performance.now() - start, seconds);
    }

    /** Where drawing takes too long, fewer pixels are drawn. */
    private measure = (ms: number, seconds: number): void => {
        this.onFrame(ms);
        this.frames.push(Math.max(ms, seconds < 0.5 ? seconds * 1000 : ms));
        if (this.frames.length < 12)
            return;
        const middle = this.frames.sort((a, b) => a - b)[6];
        this.frames = [];
        if (middle > 60 && this.ratio > 0.4) {
            this.ratio = Math.max(0.4, this.ratio / 1.4);
            this.resize();
        }
    };

    render(): void {
        this.dirty = false;
        const { renderer, camera } = this;
        camera.updateMatrixWorld();
        this.shared.unproject.value.copy(camera.projectionMatrix).multiply(camera.matrixWorldInverse).invert();
        const size = renderer.getDrawingBufferSize(new Vector2());
        const draw = (ground: Ground) => {
            if (!ground.grid)
                return renderer.render(this.nowhere.scene, camera);
            ground.breathe(this.palette.haze, camera);
            ground.illuminate(renderer, this.isQuick && ground === this.land);
            ground.choose(camera, size.y, this.ratio < 1 ? 5 : 3);
            renderer.render(ground.scene, camera);
        };
        renderer.clear();
        if (this.other) {
            renderer.render(this.nowhere.scene, camera);
            return this.other.draw(renderer, camera);
        }
        if (this.showOriginal)
            return draw(this.original.grid ? this.original : this.land);
        if (!this.swipe || !this.original.grid)
            return draw(this.land);
        const { x: w, y: h } = renderer.getSize(new Vector2()), cut = Math.round(w * this.swipe);
        renderer.setScissorTest(true);
        renderer.setScissor(0, 0, cut, h);
        draw(this.original);
        renderer.setScissor(cut, 0, w - cut, h);
        draw(this.land);
        renderer.setScissorTest(false);
    }

    /** Draws every pixel, however long it takes. */
    finest(): void {
        this.ratio = 1;
        this.shared.isFine.value = 1;
        this.measure = () => {};
        this.resize();
    }

    /** The picture at any size, as it is on the screen else. */
    async picture(width: number, height: number): Promise<Blob> {
        const { renderer, camera } = this;
        renderer.setPixelRatio(1);
        renderer.setSize(width, height, false);
        camera.aspect = width / height;
        camera.updateProjectionMatrix();
        this.isQuick = false;
        const { isFine } = this.shared, was = isFine.value;
        isFine.value = 1;
        this.render();
        isFine.value = was;
        const blob = await new Promise<Blob | null>((resolve) => this.canvas.toBlob(resolve, 'image/png'));
        this.resize();
        if (!blob)
            throw new Error(`A picture of ${width} x ${height} is more than this browser can draw.`);
        return blob;
    }

    /** A film of what is drawn from now on. */
    film(rate: number): MediaStream { return this.canvas.captureStream(rate); }
}
