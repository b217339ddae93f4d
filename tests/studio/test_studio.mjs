// test_studio.mjs PAGE RAVINE [WHICH]: the built page in chromium: what a person does, and what must then be so. RAVINE
// is the program whose bytes the page must give. WHICH: only tests with this in their names; `timed`: those that watch the
// clock, and want the machine for themselves; `1/2`, `2/2`: the first and the second half of the others.
// STUDIO_PICTURES=DIR: the pictures of docs/studio.md go there.
import { browser, only, plain, server } from './page_context.mjs';
import { tests as edits } from './page_edits.mjs';
import { tests as engines } from './page_engines.mjs';
import { tests as files } from './page_files.mjs';
import { tests as previews } from './page_previews.mjs';
import { tests as runs } from './page_runs.mjs';
import { tests as views } from './page_views.mjs';

const tests = { ...runs, ...previews, ...views, ...files, ...edits, ...engines };
const timed = ['eroded land is there', 'a run is held', 'the view follows', 'while a slider is dragged'];
const isTimed = (name) => timed.some((words) => name.startsWith(words)), others = Object.keys(tests).filter((name) => !isTimed(name));
const [, part, parts] = /^(\d+)\/(\d+)$/.exec(only ?? '') ?? [];
const isWanted = (name) => !only || (only === 'timed' ? isTimed(name) : part ? !isTimed(name) && others.indexOf(name) % parts === part - 1 : name.includes(only));

let failed = 0;
for (const [name, test] of Object.entries(tests)) {
    if (!isWanted(name))
        continue;
    const start = performance.now();
    try {
        await test();
        console.log(`ok: ${name} (${((performance.now() - start) / 1000).toFixed(1)} s)`);
    } catch (error) {
        failed++;
        console.log(`not ok: ${name}\n${error.stack ?? error}`);
    }
}
await browser.close();
server.close();
plain.close();
process.exitCode = failed ? 1 : 0;
