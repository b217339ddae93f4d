// first_surface.ts: the surface of the rock before anything wore it, and how far below it a point now lies. Vertices
// have other numbers after faces were divided, so that they cannot be compared one by one.

export class FirstSurface {
    private readonly cells = new Map<number, number[]>();
    private readonly size: number;
    private readonly low = [Infinity, Infinity, Infinity];

    constructor(private readonly points: Float32Array, private readonly faces: Uint32Array) {
        let sum = 0;
        for (let i = 0; i < points.length; i++)
            this.low[i % 3] = Math.min(this.low[i % 3], points[i]);
        for (let f = 0; f < faces.length; f += 3)
            sum += Math.hypot(...[0, 1, 2].map((k) => points[3 * faces[f] + k] - points[3 * faces[f + 1] + k]));
        this.size = (2 * sum) / Math.max(faces.length / 3, 1) || 1; // two mean edges
        for (let f = 0; f < faces.length; f += 3)
            this.enter(f);
    }

    private cell(value: number, axis: number): number { return Math.floor((value - this.low[axis]) / this.size) + 1; }
    private key(x: number, y: number, z: number): number { return (x * 1024 + y) * 1024 + z; }

    /** Into every cell that the box of the face meets. */
    private enter(f: number): void {
        const range = [0, 1, 2].map((k) => {
            const at = [0, 1, 2].map((c) => this.points[3 * this.faces[f + c] + k]);
            return [this.cell(Math.min(...at), k), this.cell(Math.max(...at), k)];
        });
        for (let x = range[0][0]; x <= range[0][1]; x++)
            for (let y = range[1][0]; y <= range[1][1]; y++)
                for (let z = range[2][0]; z <= range[2][1]; z++) {
                    const key = this.key(x, y, z), list = this.cells.get(key);
                    if (list)
                        list.push(f);
                    else
                        this.cells.set(key, [f]);
                }
    }

    /** Metres below the surface; above it less than 0. A point that is farther than a cell counts as one cell. */
    depth(px: number, py: number, pz: number): number {
        let best = this.size * this.size, below = 0;
        const cx = this.cell(px, 0), cy = this.cell(py, 1), cz = this.cell(pz, 2), seen = new Set<number>();
        for (let x = cx - 1; x <= cx + 1; x++)
            for (let y = cy - 1; y <= cy + 1; y++)
                for (let z = cz - 1; z <= cz + 1; z++)
                    for (const f of this.cells.get(this.key(x, y, z)) ?? []) {
                        if (seen.has(f))
                            continue;
                        seen.add(f);
                        const [square, side] = this.near(f, px, py, pz);
                        if (square < best) {
                            best = square;
                            below = -side;
                        }
                    }
        return Math.sqrt(best) * Math.sign(below);
    }

    /** The square of the distance to a face, and on which side of it the point is (Ericson, Real-Time Collision
     *  Detection, 5.1.5). */
    private near(f: number, px: number, py: number, pz: number): [number, number] {
        const { points: v, faces } = this, a = 3 * faces[f], b = 3 * faces[f + 1], c = 3 * faces[f + 2];
        const ab = [v[b] - v[a], v[b + 1] - v[a + 1], v[b + 2] - v[a + 2]], ac = [v[c] - v[a], v[c + 1] - v[a + 1], v[c + 2] - v[a + 2]];
        const dot = (p: number[], q: number[]) => p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
        const from = (k: number) => [px - v[k], py - v[k + 1], pz - v[k + 2]];
        const normal = [ab[1] * ac[2] - ab[2] * ac[1], ab[2] * ac[0] - ab[0] * ac[2], ab[0] * ac[1] - ab[1] * ac[0]];
        const ap = from(a), bp = from(b), cp = from(c);
        const d1 = dot(ab, ap), d2 = dot(ac, ap), d3 = dot(ab, bp), d4 = dot(ac, bp), d5 = dot(ab, cp), d6 = dot(ac, cp);
        const va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
        let s = 0, t = 0; // the nearest point is a + s ab + t ac
        if (d1 <= 0 && d2 <= 0)
            s = t = 0;
        else if (d3 >= 0 && d4 <= d3)
            s = 1;
        else if (vc <= 0 && d1 >= 0 && d3 <= 0)
            s = d1 / (d1 - d3);
        else if (d6 >= 0 && d5 <= d6)
            t = 1;
        else if (vb <= 0 && d2 >= 0 && d6 <= 0)
            t = d2 / (d2 - d6);
        else if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
            t = (d4 - d3) / (d4 - d3 + (d5 - d6));
            s = 1 - t;
        } else {
            const whole = 1 / (va + vb + vc);
            s = vb * whole;
            t = vc * whole;
        }
        const away = [0, 1, 2].map((k) => ap[k] - s * ab[k] - t * ac[k]);
        return [dot(away, away), dot(normal, ap)];
    }
}
