// scene_engine.ts: a scene, frame after frame. Between frames the worker reads its messages.
import type { Ravine } from '../../wasm/ravine.mjs';
import type { Gate } from './gate';
import type { Event, Ledger, Request } from './messages';

type SceneRequest = Extract<Request, { kind: 'scene' }>;

const LEDGER = ['eroded', 'deposited', 'left_map', 'suspended', 'raised', 'before'];

export async function runScene(ravine: Ravine, layout: Record<string, number>, ctx: number, gate: Gate,
                               request: SceneRequest, post: (event: Event, buffers: ArrayBuffer[]) => void): Promise<void> {
    const { rv } = ravine, { run } = request, began = performance.now();
    const end = (how: 'finished' | 'cancelled' | 'failed', status = 0) =>
        post({ kind: 'ended', run, how, place: 0, ms: performance.now() - began, land: null, status,
            sentence: status ? ravine.text(rv.rv_context_error(ctx)) : '' }, []);
    const made = ravine.made((out: number) =>
        ravine.with([request.words, 'scene'], (words: number, name: number) => rv.rv_scene_parse(ctx, words, name, out)));
    if (made.status)
        return end('failed', made.status);
    const scene = made.pointer;
    const plan = rv.malloc(layout['rv_scene_plan']), frame = rv.malloc(layout['rv_frame']);
    const particles = rv.malloc(layout['rv_particles']);
    const vector = (at: number) => [0, 1, 2].map((i) => ravine.view.getFloat64(at + 8 * i, true));

    const show = (ms: number) => {
        rv.rv_scene_info(scene, frame);
        rv.rv_scene_particles(scene, particles);
        const long = (name: string) => Number(ravine.view.getBigInt64(frame + layout[`rv_frame.${name}`], true));
        const pointer = (name: string) => ravine.view.getUint32(particles + layout[`rv_particles.${name}`], true);
        const count = pointer('count'), origin = vector(particles + layout['rv_particles.origin']);
        const positions = ravine.floats(pointer('positions'), 4 * count), speeds = ravine.floats(pointer('velocities'), 4 * count);
        const drops = new Float32Array(4 * count);
        for (let i = 0; i < count; i++) {
            for (let k = 0; k < 3; k++)
                drops[4 * i + k] = positions[4 * i + k] + origin[k];
            drops[4 * i + 3] = Math.hypot(speeds[4 * i], speeds[4 * i + 1], speeds[4 * i + 2]);
        }
        let points = new Float32Array(0), faces = new Uint32Array(0);
        const { pointer: mesh } = ravine.made((out: number) => rv.rv_scene_mesh(scene, out));
        if (mesh) {
            const vertices = rv.rv_mesh_vertex_count(mesh);
            const at = new Float64Array(ravine.buffer, rv.rv_mesh_points(mesh), 3 * vertices);
            points = Float32Array.from(at);
            faces = new Uint32Array(ravine.buffer, rv.rv_mesh_faces(mesh), 3 * rv.rv_mesh_face_count(mesh)).slice();
            rv.rv_mesh_destroy(mesh);
        }
        const ledger = Object.fromEntries(LEDGER.map((name) => [name, ravine.view.getFloat64(
            frame + layout['rv_frame.ledger'] + layout[`rv_ledger.${name}`], true)])) as unknown as Ledger;
        const buffers = [points.buffer, faces.buffer, drops.buffer] as ArrayBuffer[];
        post({ kind: 'frame', run, frame: long('frame'), frames: long('frames'),
            time: ravine.view.getFloat64(frame + layout['rv_frame.time'], true), ms, particles: count,
            low: vector(plan + layout['rv_scene_plan.low']), high: vector(plan + layout['rv_scene_plan.high']),
            spacing: ravine.view.getFloat32(particles + layout['rv_particles.spacing'], true), ledger,
            hash: BigInt.asUintN(64, ravine.view.getBigInt64(frame + layout['rv_frame.hash'], true)).toString(16).padStart(16, '0'),
            buffers }, buffers);
        return long('frame') < long('frames');
    };

    gate.begin(run, request.live.slices);
    try {
        let status = rv.rv_scene_plan_run(scene, plan) || rv.rv_scene_start(scene);
        let more = !status && show(0);
        while (more && !status) {
            await new Promise((resolve) => setTimeout(resolve));
            const go = await gate.pass(run, true, () => post({ kind: 'held', run, place: 0, done: 0 }, []));
            if (!go)
                return end('cancelled');
            const start = performance.now();
            status = rv.rv_scene_step(scene);
            if (!status)
                more = show(performance.now() - start);
        }
        end(status ? 'failed' : 'finished', status);
    } finally {
        rv.rv_scene_destroy(scene);
        [plan, frame, particles].forEach((at) => rv.free(at));
    }
}
