import { chromium } from 'playwright-core';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
const dist = process.argv[2], port = 7995, path = process.argv[3] ?? 'average/';
const server = spawn('node', ['serve.mjs', '--port', String(port), '--dist', dist], { cwd: '../../web' });
await new Promise((r) => setTimeout(r, 1500));
const { launchOptions } = await import('../../wasm/toolchain/chromium.mjs');
const b = await chromium.launch(launchOptions());
const c = await b.newContext({ viewport: { width: 1440, height: 1000 }, serviceWorkers: 'block' });
const p = await c.newPage();
const go = async () => { await p.goto('about:blank'); await p.goto(`http://localhost:${port}/${path}`); await p.waitForTimeout(3000); };
for (let i = 0; i < 4; i++) await go();
await p.goto('about:blank');
await b.startTracing(p, { path: '/tmp/trace.json', categories: ['devtools.timeline', 'v8', 'v8.wasm', 'toplevel', 'blink', 'cc', 'viz', 'disabled-by-default-v8.compile', '__metadata'] });
await go();
await b.stopTracing(); await b.close(); server.kill();
const { traceEvents: ev } = JSON.parse(readFileSync('/tmp/trace.json'));
const names = {}; for (const e of ev) if (e.name === 'thread_name') names[e.pid + ':' + e.tid] = e.args.name;
const pn = {}; for (const e of ev) if (e.name === 'process_name') pn[e.pid] = e.args.name;
// self time by name per thread, with thread CPU (tdur) if there
const by = {};
const threads = {}; for (const e of ev) if (e.ph === 'X') (threads[e.pid + ':' + e.tid] ??= []).push(e);
for (const [k, list] of Object.entries(threads)) { list.sort((a, b) => a.ts - b.ts || b.dur - a.dur); const stack = []; const self = {}; let total = 0;
  for (const e of list) { const d = e.tdur ?? e.dur ?? 0; while (stack.length && stack.at(-1).ts + (stack.at(-1).dur ?? 0) <= e.ts) stack.pop(); if (stack.length) self[stack.at(-1).name] -= d; else total += d; self[e.name] = (self[e.name] ?? 0) + d; stack.push(e); }
  by[(pn[k.split(':')[0]] ?? '') + ' ' + (names[k] ?? k)] = { total, self }; }
for (const [k, { total, self }] of Object.entries(by).sort((a, b) => b[1].total - a[1].total).slice(0, 9)) { console.log(k, (total / 1000).toFixed(0), 'ms'); console.log('   ', Object.entries(self).sort((a, b) => b[1] - a[1]).slice(0, 12).map(([n, d]) => n + ' ' + (d / 1000).toFixed(0)).join(', ')); }
