// rain_on_mesh.ts: a scene for a mesh of one's own: water falls on its middle and leaves through the sides of its box.

/** Words of the scene, from the text of an OBJ file. */
export function rainOn(name: string, obj: string): string {
    const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
    for (const [, ...at] of obj.matchAll(/^v[ \t]+(\S+)[ \t]+(\S+)[ \t]+(\S+)/gm))
        at.map(Number).forEach((value, i) => {
            low[i] = Math.min(low[i], value);
            high[i] = Math.max(high[i], value);
        });
    if (!low.every(Number.isFinite) || !high.every(Number.isFinite))
        throw new Error('There are no points in this mesh.');
    const size = high.map((value, i) => value - low[i]), side = Math.max(size[0], size[1]);
    const vector = (values: number[]) => values.map((value) => +value.toPrecision(7)).join('/');
    const top = high[2] + 0.3 * side;
    return [
        `box low=${vector(low)} high=${vector([high[0], high[1], top])} open=west/east/south/north`,
        `model file=${name}`,
        `source at=${vector([(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, high[2] + 0.15 * side])} size=${vector([0.2 * size[0], 0.2 * size[1], 0.1 * side])} rate=2000`,
        'run frames=300',
    ].join('\n');
}
