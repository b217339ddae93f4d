// solid_view.ts: rock and water of a scene: worn parts red, water as particles or as a surface, cut by a plane.
import {
    AmbientLight, Box3, Box3Helper, BufferAttribute, BufferGeometry, CanvasTexture, Color, DirectionalLight, DoubleSide, Mesh,
    MeshLambertMaterial, PerspectiveCamera, Plane, Points, PointsMaterial, Scene, Vector3, WebGLRenderer,
} from 'three';
import type { SceneFrame } from '../session';
import { FirstSurface } from './first_surface';
import { WaterSurface } from './water_surface';

/** How water is drawn, in the order of the key D. */
export const WAYS = ['surface', 'speed', 'particles', 'none'] as const;
export type Way = (typeof WAYS)[number];

/** A little ball, lit from above. */
function ball(): CanvasTexture {
    const canvas = document.createElement('canvas');
    canvas.width = canvas.height = 32;
    const paint = canvas.getContext('2d')!, shade = paint.createRadialGradient(12, 10, 1, 16, 16, 16);
    shade.addColorStop(0, '#fff');
    shade.addColorStop(1, '#7d8894');
    paint.fillStyle = shade;
    paint.arc(16, 16, 15, 0, 7);
    paint.fill();
    return new CanvasTexture(canvas);
}

export class SolidView {
    private readonly scene = new Scene();
    private readonly surface = new WaterSurface();
    private readonly sun = new DirectionalLight(0xfff4e4, 2.6);
    private drops = new Float32Array(0);
    private spacing = 0;
    private readonly rock = new Mesh(new BufferGeometry(), new MeshLambertMaterial({ vertexColors: true, flatShading: true, side: DoubleSide }));
    private readonly water = new Points(new BufferGeometry(), new PointsMaterial({ size: 0.1, vertexColors: true, map: ball(), alphaTest: 0.5 }));
    private readonly box = new Box3();
    private readonly frame: Box3Helper;
    private readonly plane = new Plane(new Vector3(0, 0, -1), 0);
    private cutAt = 0;
    private first: FirstSurface | null = null;
    /** Of each vertex, how far it lies below the first surface. */
    lost = new Float32Array(0);
    private largest = 0;
    way: Way = 'surface';

    constructor() {
        this.frame = new Box3Helper(this.box, new Color(0x7a858f));
        this.scene.add(new AmbientLight(0xc8d6e6, 1.3), this.sun, this.rock, this.water, this.frame);
        this.rock.frustumCulled = this.water.frustumCulled = false;
    }

    /** to: the way to it. */
    setSun(to: Vector3): void { this.sun.position.copy(to); }

    set(frame: SceneFrame): void {
        const [points, faces, drops] = frame.buffers;
        if (frame.frame === 0 || !this.first) {
            this.largest = 0;
            this.first = new FirstSurface(new Float32Array(points), new Uint32Array(faces));
        }
        this.box.min.set(frame.low[0], frame.low[2], -frame.high[1]);
        this.box.max.set(frame.high[0], frame.high[2], -frame.low[1]);
        this.setRock(new Float32Array(points), new Uint32Array(faces), this.first);
        this.drops = new Float32Array(drops);
        this.spacing = frame.spacing;
        this.setWater();
        this.cut(this.cutAt);
    }

    private setRock(at: Float32Array, faces: Uint32Array, first: FirstSurface): void {
        const place = new Float32Array(at.length), colour = new Float32Array(at.length);
        const lost = this.lost = new Float32Array(at.length / 3);
        for (let i = 0; i < lost.length; i++) {
            lost[i] = first.depth(at[3 * i], at[3 * i + 1], at[3 * i + 2]);
            this.largest = Math.max(this.largest, lost[i]);
        }
        for (let i = 0; i < at.length; i += 3) {
            place.set([at[i], at[i + 2], -at[i + 1]], i);
            const red = this.largest > 0 ? Math.sqrt(Math.max(lost[i / 3], 0) / this.largest) : 0;
            colour.set([0.62 + 0.22 * red, 0.57 - 0.40 * red, 0.50 - 0.38 * red], i);
        }
        const { geometry } = this.rock;
        geometry.setAttribute('position', new BufferAttribute(place, 3));
        geometry.setAttribute('color', new BufferAttribute(colour, 3));
        geometry.setIndex(new BufferAttribute(faces, 1));
        geometry.computeVertexNormals();
    }

    private setWater(): void {
        const { drops, spacing, way } = this, count = drops.length / 4, place = new Float32Array(3 * count);
        this.water.visible = way === 'speed' || way === 'particles';
        for (let i = 0; i < count; i++) {
            place[3 * i] = drops[4 * i];
            place[3 * i + 1] = drops[4 * i + 2];
            place[3 * i + 2] = -drops[4 * i + 1];
        }
        if (way === 'surface')
            this.surface.set(place, spacing);
        if (!this.water.visible)
            return;
        const colour = new Float32Array(3 * count);
        let top = 1e-6;
        for (let i = 0; i < count; i++)
            top = Math.max(top, drops[4 * i + 3]);
        for (let i = 0; i < count; i++) {
            const fast = way === 'speed' ? Math.sqrt(drops[4 * i + 3] / top) : 0.3;
            colour[3 * i] = 0.10 + 0.70 * fast;
            colour[3 * i + 1] = 0.36 + 0.55 * fast;
            colour[3 * i + 2] = 0.78 + 0.20 * fast;
        }
        const { geometry, material } = this.water;
        geometry.setAttribute('position', new BufferAttribute(place, 3));
        geometry.setAttribute('color', new BufferAttribute(colour, 3));
        material.size = spacing * 1.5;
    }

    draw(renderer: WebGLRenderer, camera: PerspectiveCamera): void {
        renderer.render(this.scene, camera);
        if (this.way === 'surface' && this.drops.length > 0)
            this.surface.draw(renderer, camera, this.sun.position);
    }

    /** Cuts open from the south: 0 not at all, 1 all of it. */
    cut(part: number): void {
        this.cutAt = part;
        const planes = part > 0 ? [this.plane] : [];
        this.plane.constant = this.box.max.z - part * (this.box.max.z - this.box.min.z);
        this.rock.material.clippingPlanes = this.water.material.clippingPlanes = planes;
        this.surface.cut(part > 0 ? this.plane.normal : null, this.plane.constant);
    }

    setWay(way: Way): void {
        this.way = way;
        this.setWater();
    }

    nextWay(): void { this.setWay(WAYS[(WAYS.indexOf(this.way) + 1) % WAYS.length]); }

    setWires(wires: 0 | 1 | 2): void { this.rock.material.wireframe = wires > 0; }
    toggleBox(): void { this.frame.visible = !this.frame.visible; }
}
