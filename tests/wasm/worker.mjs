// worker.mjs: a worker that runs a recipe and shows the land as it changes. Its workerData are
//     module, layout, recipe
//     stop: an Int32Array over shared memory, whose first number becomes 1 when the run is to end
// It posts {step, total, heights} where the land may be looked at, and {status, sentence, hash} at the end.
import { parentPort, workerData } from 'node:worker_threads';
import { Ravine } from '../../studio/wasm/ravine.mjs';

const { module, layout, recipe, stop } = workerData;
const ravine = await Ravine.load(module);
const ctx = ravine.context(layout, (now) => {
    const land = ravine.view.getUint32(now + layout['rv_progress.land'], true);
    if (land) {
        const heights = ravine.field(land, 'height').slice(); // a copy, which then changes hands
        const step = ravine.text(ravine.view.getUint32(now + layout['rv_progress.step'], true));
        const total = ravine.view.getFloat64(now + layout['rv_progress.total'], true);
        parentPort.postMessage({ step, total, heights }, [heights.buffer]);
    }
    return Atomics.load(stop, 0) === 0 ? 1 : 0;
});
const { status, land } = ravine.run(ctx, recipe);
parentPort.postMessage({
    status,
    sentence: ravine.text(ravine.rv.rv_context_error(ctx)),
    hash: land ? ravine.hash(land) : '',
});
