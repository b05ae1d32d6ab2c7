// Tests of the checks: each finds its bad example and accepts the good one.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readGoogleTest, readPlaywright, readVitest } from '../tests/reports.mjs';
import { suitesFor } from '../tests/suites.mjs';
import { withoutLater } from '../web/later.js';
import { checkBuilt } from './check-built.mjs';
import { checkCircles } from './check-circles.mjs';
import { checkGuards, checkLock } from './check-guards.mjs';
import { checkModels } from './check-models.mjs';
import { checkNotices } from './check-notices.mjs';
import { checkSizes, written } from './check-sizes.mjs';
import { checkVersions, readVersions } from './check-versions.mjs';
import { checkWorkflows } from './check-workflow.mjs';
import { root } from './files.mjs';

const guards = (path, text) => checkGuards([{ path, text }]);

test('a file of the page that needs itself is found, by whichever way', () => {
  const circle = [
    { path: 'web/src/a.ts', text: "import type { B } from './b';" },
    { path: 'web/src/b.ts', text: "export * from './c/C.svelte';" },
    { path: 'web/src/c/C.svelte', text: "import '../a';" },
  ];
  assert.deepEqual(checkCircles(circle), [
    'web/src/a.ts: needs itself by way of web/src/b.ts, web/src/c/C.svelte',
  ]);
  assert.deepEqual(checkCircles(circle.slice(1)), []);
  const later = { path: 'web/src/b.ts', text: "const load = () => import('./c/C.svelte');" };
  assert.deepEqual(checkCircles([circle[0], later, circle[2]]), []);
});

test('a file of the package that needs itself is found, by a type, too', () => {
  const circle = [
    { path: 'wasm/src/error.ts', text: "import type { Step } from './step.js';" },
    { path: 'wasm/src/step.ts', text: "import { Tensor } from './calls/tensor.js';" },
    { path: 'wasm/src/calls/tensor.ts', text: "export { fail } from '../error.js';" },
  ];
  assert.deepEqual(checkCircles(circle), [
    'wasm/src/error.ts: needs itself by way of wasm/src/step.ts, wasm/src/calls/tensor.ts',
  ]);
  assert.deepEqual(checkCircles(circle.slice(1)), []);
  const others = circle.map(({ path, text }) => ({ path: path.replace('src', 'bench'), text }));
  assert.deepEqual(checkCircles(others), []);
});

test('forbidden text is found', () => {
  const bad = [
    'Math.random()',
    'eval("1")',
    'new Function("1")',
    'setTimeout("f()", 1)',
    'fetch("https://example.org/a")',
    'fetch(`//example.org/a`)',
    "import('https://example.org/a.js')",
    '<script src="https://example.org/a.js">',
    'a { background: url(//example.org/a.png) }',
    'navigator.userAgent',
  ];
  for (const text of bad) assert.equal(guards('web/src/a.ts', text).length, 1, text);
  assert.equal(guards('core/CMakeLists.txt', 'add_compile_options(-ffast-math)').length, 1);
  assert.equal(guards('tests/web/a.test.ts', "test.only('x', f)").length, 1);
  assert.equal(guards('core/a.cc', 'x\n'.repeat(401)).length, 1);
});

test('an export of a binding that lets exceptions through is found', () => {
  const binding = (text) => guards('wasm/bindings/a.cc', text);
  assert.equal(binding('function("_matmul", &matmul, allow_raw_pointers());').length, 1);
  assert.equal(binding('.function("step",\n          &trainer_step)').length, 1);
  assert.equal(binding('.constructor(&make_engine, allow_raw_pointers())').length, 1);
  assert.deepEqual(binding('function("_matmul", guard<&matmul>, allow_raw_pointers());'), []);
  assert.deepEqual(binding('.property("threads", &engine_threads)'), []);
});

test('what depends on the locale is found', () => {
  const bad = [
    'std::strtod(text, &end)',
    'strtoul(a, b, 10)',
    'std::stof(text)',
    'std::stoll (text)',
    'std::snprintf(to, 9, "%g", x)',
    'printf("%f", x)',
    'sscanf(text, "%lf", &x)',
    'std::isalpha(letter)',
    'std::tolower(letter)',
    'towupper(letter)',
    'std::ostringstream text;',
    '#include <iomanip>',
    'std::setlocale(LC_ALL, "")',
    'std::locale::global(x)',
  ];
  for (const text of bad) {
    for (const path of ['core/tril/files/a.cc', 'native/cli/a.h', 'wasm/bindings/a.cc'])
      assert.equal(guards(path, text).length, 1, text);
    assert.deepEqual(guards('core/tril/foundation/read_number.cc', text), [], text);
    assert.deepEqual(guards('tests/core/a_test.cc', text), [], text);
  }
  const good = [
    'std::to_string(7)',
    'read_number(text)',
    'lower_case(word)',
    'stop(all)',
    'a.is(b)',
  ];
  for (const text of good) assert.deepEqual(guards('core/tril/a.cc', text), [], text);
});

test('allowed text is left alone', () => {
  const good = ['random(seed)', 'evaluate(x)', '<a href="https://example.org">', "fetch('a.json')"];
  for (const text of good) assert.deepEqual(guards('web/src/a.svelte', text), [], text);
  assert.deepEqual(guards('tests/web/a.test.ts', 'Math.random()'), []);
  assert.deepEqual(guards('core/a.cc', 'x\n'.repeat(400)), []);
});

test('forbidden text is found in what is built, too', () => {
  const built = (path, text) => checkBuilt([{ path, text }]).length;
  const bad = [
    'let a=Math.random();',
    'return eval(x)',
    'new Function("return 1")()',
    'Function("return 1")',
    'setTimeout("f()",1)',
    'const host="https://example.org/a"',
    'u="wss://example.org"',
    'throw Error("KaTeX parse error: "+a)',
  ];
  for (const text of bad) assert.equal(built('web/dist/assets/a.js', text), 1, text);
  assert.equal(built('web/dist/index.html', '<script>f()</script>'), 1);
  assert.equal(built('web/dist/index.html', '<body onload="f()">'), 1);
  assert.equal(built('web/dist/a.css', 'a{background:url(//example.org/a.png)}'), 1);
  // echo -n 'f()' | openssl dgst -sha256 -binary | base64
  const hash = 'GcEEE0IkDzIP5EQ6DXZaDPORqT5RTBELX8Fyzyg9yvo=';
  const page = (policy) =>
    `<meta http-equiv="content-security-policy" content="${policy}"><script>f()</script>`;
  assert.equal(built('web/dist/index.html', page(`script-src 'sha256-${hash}'`)), 0);
  assert.equal(built('web/dist/index.html', page("script-src 'self'")), 1);
  const good = [
    'evaluate(x);a.eval(x);isFunction(x);seed.random()',
    'createElementNS("http://www.w3.org/2000/svg","a")',
    'href:"https://arxiv.org/abs/1706.03762"',
    '// a comment',
  ];
  for (const text of good) assert.equal(built('web/dist/assets/a.js', text), 0, text);
  assert.equal(built('web/dist/index.html', '<script type="module" src="./a.js"></script>'), 0);
});

test('a reference beside the page may name hosts, but load nothing from them', () => {
  const built = (text) => checkBuilt([{ path: 'web/dist/api/a.html', text }]).length;
  assert.equal(built('<script>f()</script><a href="https://example.org/">a</a>'), 0);
  assert.equal(built('<script src="https://example.org/a.js"></script>'), 1);
  assert.equal(built('a{background:url(//example.org/a.png)}'), 1);
});

test('a lock that names a host is refused', () => {
  const lock = (resolved) => JSON.stringify({ packages: { 'node_modules/a': { resolved } } });
  assert.deepEqual(checkLock(lock('wasm')), []);
  assert.deepEqual(checkLock(lock(undefined)), []);
  assert.equal(checkLock(lock('https://example.org/a.tgz')).length, 1);
});

test('what is too large or was not built is refused', () => {
  const all = { ...written, 'tril/graph': 25, 'lines of tril/graph': 3000 };
  const page = (size) => checkSizes({ ...all, page: size });
  assert.deepEqual(checkSizes(all), []);
  const graph = checkSizes({ ...all, 'tril/graph': 25.04, 'lines of tril/graph': 3001 });
  assert.match(graph[0], /^tril\/graph: 25\.0 kB, more than 25\.0 kB/);
  assert.match(graph[1], /^lines of tril\/graph: 3001, more than 3000/);
  assert.deepEqual(page(written.page * 1.0199), []);
  assert.match(page(written.page * 1.0201)[0], /^page: \d+\.\d kB, more than \d+\.\d kB/);
  const small = 'several, further down'; // 2 % of it would be nothing
  assert.deepEqual(checkSizes({ ...all, [small]: written[small] + 0.9 }), []);
  assert.equal(checkSizes({ ...all, 'tril-simd.wasm': undefined }).length, 1);
});

test('a page does without the styles and fonts of scripts that it does not name', () => {
  const manifest = {
    'node.js': { file: 'a/nodes/1.js', css: ['a/1.css', 'a/shared.css'], assets: ['a/1.woff2'] },
    'Later.svelte': {
      ...{ file: 'a/chunks/later.js', css: ['a/Later.css', 'a/shared.css'] },
      assets: ['a/Later.woff2', 'a/1.woff2'],
    },
  };
  const style = (name) => `\n  <link href="../a/${name}.css" rel="stylesheet">`;
  const font = (name) =>
    `\n  <link href="../a/${name}.woff2" rel="preload" as="font" type="font/woff2" crossorigin>`;
  const page = (...looks) =>
    `<link href="../a/nodes/1.js" rel="modulepreload">${looks.join('')}</head>`;
  const [one, shared, unknown] = ['1', 'shared', 'unknown'].map(style);
  const all = page(one, shared, style('Later'), unknown, font('1'), font('Later'));
  assert.equal(withoutLater(all, manifest), page(one, shared, unknown, font('1')));
});

test('a page names what its scripts import, also where something fetches it later', () => {
  const manifest = {
    'node.js': { file: 'a/nodes/1.js', imports: ['_between.js'] },
    '_between.js': { file: 'a/chunks/between.js', imports: ['Both.svelte'] },
    'Both.svelte': { file: 'a/chunks/both.js', css: ['a/Both.css'], imports: ['_between.js'] },
  };
  const script = (name) => `<link href="../a/${name}.js" rel="modulepreload">`;
  const style = '\n  <link href="../a/Both.css" rel="stylesheet">';
  const named = ['nodes/1', 'chunks/between', 'chunks/both'].map(script);
  assert.equal(
    withoutLater(`${named[0]}\n\t\t${named[1]}${style}</head>`, manifest),
    `${named.join('\n\t\t')}${style}</head>`,
  );
});

test('models have limits, together and one by one', () => {
  const file = (path, bytes) => ({ path, bytes });
  assert.deepEqual(checkModels([file('/models/gpt/model.safetensors', 6.1e6)]), []);
  assert.equal(checkModels([file('/models/gpt/model.safetensors', 6.1e6 + 1)]).length, 1);
  assert.equal(checkModels([file('/models/sibling/step-50.safetensors', 1e6 + 1)]).length, 1);
  assert.equal(checkModels([file('/models/a', 1e7), file('/models/b', 1e7 + 1)]).length, 1);
});

test('a version that is another one, or is missing, is named', () => {
  const versions = readVersions(root);
  assert.deepEqual(checkVersions(versions), []);
  for (const i of versions.keys()) {
    const changed = versions.map(([file, version], j) => [file, j === i ? undefined : version]);
    assert.equal(checkVersions(changed, versions[0][1])[0].split(':')[0], versions[i][0]);
  }
  assert.equal(checkVersions(versions, '99.0.0').length, versions.length);
});

test('a notice that is missing is named', () => {
  const modules = readFileSync(join(root, 'docs', 'THIRD-PARTY-NOTICES.txt'), 'utf8');
  const text = `${modules}${'='.repeat(80)}\nkatex: MIT\n`;
  assert.deepEqual(checkNotices(text, ['katex']), []);
  assert.match(checkNotices(text, ['katex', 'svelte'])[0], /nothing of svelte$/);
  assert.equal(checkNotices('', ['katex']).length, 6);
});

test('`npm test` takes core, package and page; `npm run test:all` takes every folder, nothing twice', () => {
  const parts = (...words) => new Set(suitesFor(words).map((suite) => suite.part));
  assert.deepEqual([...parts()].sort(), ['core', 'wasm', 'web']);
  const folders = ['cli', 'consumer', 'core', 'pack', 'wasm', 'web'];
  assert.deepEqual([...parts('--all')].filter((part) => part !== 'fuzz').sort(), folders);
  const ids = suitesFor(['--all']).map((suite) => suite.id);
  assert.equal(new Set(ids).size, ids.length);
  assert.ok(!ids.includes('web-main') && ids.includes('web'));
  assert.deepEqual(parts('web'), new Set(['web']));
});

test("GoogleTest's report is counted", () => {
  const run = (extra) => ({ name: 't', status: 'RUN', result: 'COMPLETED', ...extra });
  const testsuite = [
    run(),
    run({ failures: [{ failure: 'a.cc:1' }] }),
    run({ result: 'SKIPPED' }),
    { name: 'DISABLED_t', status: 'NOTRUN', result: 'SUPPRESSED' },
  ];
  const { passed, failed, skipped, failures } = readGoogleTest({
    testsuites: [{ name: 'S', testsuite }],
  });
  assert.deepEqual([passed, failed, skipped], [1, 1, 2]);
  assert.deepEqual(failures, [{ name: 'S.t', message: 'a.cc:1' }]);
});

test("Vitest's report is counted, a file that does not load as a failure", () => {
  const tests = ['passed', 'failed', 'pending'].map((status) => ({
    status,
    fullName: status,
    failureMessages: [],
  }));
  const { passed, failed, skipped } = readVitest({
    testResults: [
      { name: 'a', status: 'failed', assertionResults: tests },
      { name: 'b', status: 'failed', message: 'no module', assertionResults: [] },
    ],
  });
  assert.deepEqual([passed, failed, skipped], [1, 2, 1]);
});

test("Playwright's report is counted, a flaky test as a failure", () => {
  const specs = ['expected', 'unexpected', 'flaky', 'skipped'].map((status) => ({
    title: status,
    tests: [{ status, projectName: 'p', results: [] }],
  }));
  const suites = [{ title: 'a.ts', specs: [], suites: [{ title: 'group', specs }] }];
  const { passed, failed, skipped } = readPlaywright({ suites, errors: [{ message: 'x' }] });
  assert.deepEqual([passed, failed, skipped], [1, 3, 1]);
});

test('a workflow with an unknown value, or without its program, is refused', () => {
  const workflow = (command) =>
    `on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - run: ${command}\n`;
  const check = (command) =>
    checkWorkflows([{ path: 'a.yml', text: workflow(command) }], (path) => path === '.ci/run');
  assert.deepEqual(check('.ci/run'), []);
  assert.deepEqual(check('.ci/gone'), ['a.yml: .ci/gone is no program']);
  const [problem] = check('echo ${{ github.nothing }}');
  assert.match(problem, /^a\.yml:6: .*"nothing"/);
});
