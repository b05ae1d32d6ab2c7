// Tests the check of floors: a wrong import is found, a right one is accepted.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkFloors } from './check-floors.mjs';

const floors = (path, text) => checkFloors([{ path, text }]);

test('a floor sees itself, the floors below and the standard library', () => {
  const text = '#include <vector>\n#include <tril/matmul/a.h>\n#include <tril/layers/b.h>\n';
  assert.deepEqual(floors('core/tril/layers/c.h', text), []);
});

test('tril.h has every public header', () => {
  const file = (path, text) => ({ path: `core/tril/${path}`, text });
  const all = [
    file('tril.h', '#include <tril/layers/a.h>'),
    file('layers/a.h', '#include <tril/layers/b.h>\nnamespace tril {'),
    file('layers/b.h', 'namespace tril {'),
    file('layers/c.h', 'namespace tril::detail {'),
    file('layers/d_kernels.h', 'namespace tril {'),
  ];
  assert.deepEqual(checkFloors(all), []);
  assert.deepEqual(checkFloors([...all, file('text/e.h', 'namespace tril {')]), [
    'core/tril/text/e.h: is public, but not in tril/tril.h',
  ]);
});

test('a floor does not see the floors above', () => {
  const text = '#include <vector>\n#  include <tril/attention/mask.h>\n';
  assert.deepEqual(floors('core/tril/matmul/a.cc', text), [
    'core/tril/matmul/a.cc:2: matmul includes <tril/attention/mask.h>, which is above it',
  ]);
});

test('files stands on foundation, text on both, and what computes sees neither', () => {
  assert.deepEqual(floors('core/tril/files/a.h', '#include <tril/foundation/b.h>'), []);
  assert.deepEqual(floors('core/tril/text/a.h', '#include <tril/files/b.h>'), []);
  assert.deepEqual(floors('core/tril/model/a.h', '#include <tril/text/b.h>'), []);
  assert.equal(floors('core/tril/files/a.h', '#include <tril/text/b.h>').length, 1);
  assert.equal(floors('core/tril/text/a.h', '#include <tril/matmul/b.h>').length, 1);
  assert.equal(floors('core/tril/layers/a.h', '#include <tril/text/b.h>').length, 1);
  assert.equal(floors('core/tril/block/a.h', '#include <tril/files/b.h>').length, 1);
});

test('a floor that nobody knows, and a path beside a file, are refused', () => {
  assert.equal(floors('core/tril/cellar/a.h', '#include <tril/matmul/a.h>').length, 1);
  assert.equal(floors('core/tril/layers/a.h', '#include <tril/cellar/a.h>').length, 1);
  assert.equal(floors('core/tril/layers/a.h', '#include "../attention/b.h"').length, 1);
  assert.equal(floors('core/tril/layers/a.h', '#include <emscripten/val.h>').length, 1);
  assert.deepEqual(floors('core/tril/foundation/a.cc', '#include <emscripten/em_js.h>'), []);
});

test('the page sees the public package only', () => {
  assert.deepEqual(floors('web/src/figures/a.ts', "import { loadTril } from 'tril';"), []);
  const bad = [
    "import { x } from 'tril/dist/tensor.js';",
    "import { x } from '../../../wasm/src/index';",
    "const x = await import('../../../wasm/dist/index.js');",
    "export * from '../../../wasm/dist/index.js';",
    "new Worker(new URL('../../../wasm/src/w.ts', import.meta.url));",
  ];
  for (const text of bad) assert.equal(floors('web/src/figures/a.ts', text).length, 1, text);
});

test('nothing of the package but its Worker sees the Worker', () => {
  const text = "export { Remote } from './worker/types.js';";
  assert.equal(floors('wasm/src/public.ts', text).length, 1);
  assert.equal(floors('wasm/src/calls/a.ts', text.replace('./', '../')).length, 1);
  assert.deepEqual(floors('wasm/src/worker/index.ts', "import { x } from './types.js';"), []);
  assert.deepEqual(floors('wasm/src/worker/host.ts', "import { x } from '../index.js';"), []);
});

test('graphs stand on what the package gives everyone, and nothing but the Worker sees them', () => {
  const see = (path, target) => floors(path, `import { x } from '${target}';`).length;
  assert.equal(see('wasm/src/graph/run.ts', '../tensor.js'), 0);
  assert.equal(see('wasm/src/graph/operations/a.ts', '../operation.js'), 0);
  assert.equal(see('wasm/src/worker/host.ts', '../graph/run.js'), 0);
  assert.equal(see('wasm/src/graph/run.ts', '../raw.js'), 1);
  assert.equal(see('wasm/src/graph/run.ts', '../calls/matmul.js'), 1);
  assert.equal(see('wasm/src/notebook/a.ts', '../graph/plan.js'), 0);
  assert.equal(see('wasm/src/notebook/a.ts', '../raw.js'), 1);
  assert.equal(see('wasm/src/graph/a.ts', '../notebook/index.js'), 1);
  assert.equal(see('wasm/src/public.ts', './notebook/index.js'), 1);
  assert.equal(see('wasm/src/public.ts', './graph/index.js'), 1);
});

test('the package sees no other part of the house', () => {
  for (const target of ['../../web/src/a', '../../tests/a.js', '../bench/a.mjs']) {
    assert.equal(floors('wasm/src/a.ts', `import { x } from '${target}';`).length, 1, target);
  }
  assert.equal(floors('wasm/bench/a.mjs', "import { x } from '../../web/later.js';").length, 1);
  assert.equal(floors('wasm/bench/a.mjs', "import { x } from '../../tests/web/a.mjs';").length, 1);
  assert.deepEqual(floors('wasm/bench/a.mjs', "import { x } from '../toolchain/a.mjs';"), []);
});

test('the floors of the page stand in order, too', () => {
  assert.deepEqual(floors('web/src/chapters/attend/A.svelte', "import '../../figures/b';"), []);
  assert.equal(floors('web/src/figures/a.ts', "import '../chapters/b';").length, 1);
});

test('no chapter sees another, but each may see the list of them', () => {
  const inAttend = (target) => floors('web/src/chapters/attend/A.svelte', `import '${target}';`);
  assert.deepEqual(inAttend('./scene'), []);
  assert.deepEqual(inAttend('..'), []);
  assert.deepEqual(inAttend('../../scenes/attend/scene'), []);
  assert.equal(inAttend('../mask/scene').length, 1);
  assert.equal(inAttend('../../chapters/mask/scene').length, 1);
});

test('what runs in one thread sees no values of another, but types, and what it starts', () => {
  const seen = (path, ...all) =>
    all.forEach((text) => assert.deepEqual(floors(`web/src/${path}`, text), [], text));
  const worker = "'../compute/worker/lessons/mask'";
  for (const names of ['import { x } from ', 'import { type X, y } from ', 'await import('])
    assert.equal(floors('web/src/figures/a.ts', `${names}${worker};`).length, 1, names);
  seen('figures/a.ts', `import type { X } from ${worker};`, `import { type X } from ${worker};`);
  seen('compute/page/start.ts', "new Worker(new URL('../worker/worker.ts', import.meta.url))");
  assert.equal(floors('web/src/compute/shared/a.ts', "export * from '../worker/a';").length, 1);
  seen('hooks.server.ts', "import { x } from './compute/worker/a';");
});
