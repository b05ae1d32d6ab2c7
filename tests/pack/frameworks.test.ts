// What other frameworks and hosts make of the package. They weigh a gigabyte and take minutes, so they are installed
// and run where that is asked for: TRIL_FRAMEWORKS=1.
import { spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { chromium } from '@playwright/test';
import { build } from 'esbuild';
import { describe, expect, inject, it } from 'vitest';
import { launchOptions } from '../web/chromium.mjs';
import { call } from './call.js';

const tarball = inject('tarball');
const compute = `
  export async function compute(loadTril) {
    const tril = await loadTril();
    const x = await tril.tensor([[1, 2], [3, 4]]);
    return JSON.stringify(await (await tril.matmul(x, x)).toArray());
  }`;
const product = '[[7,10],[15,22]]';

/** A folder with these packages, the tarball and these files. */
function install(name: string, packages: string[], files: Record<string, string>): string {
  const folder = join(inject('project'), name);
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  call(folder, 'npm', 'install', '--no-audit', '--no-fund', tarball, ...packages);
  for (const [path, text] of Object.entries({ 'compute.js': compute, ...files })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });

/** Runs a server while `body` uses it. */
async function serving(
  folder: string,
  args: (port: number) => string[],
  body: (url: string) => Promise<void>,
): Promise<void> {
  const port = await freePort();
  const env = { ...process.env, PORT: String(port), HOST: '127.0.0.1' };
  const server = spawn(process.execPath, args(port), { cwd: folder, env, stdio: 'ignore' });
  try {
    const url = `http://127.0.0.1:${port}`;
    while (!(await fetch(url).catch(() => undefined))) {
      if (server.exitCode !== null) throw new Error(`the server ended: ${server.exitCode}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    await body(url);
  } finally {
    server.kill();
  }
}

/** What the element with the id `out` says, once it says something. */
async function visit(address: string): Promise<string> {
  const browser = await chromium.launch(launchOptions());
  try {
    const page = await browser.newPage();
    await page.goto(address);
    const said = page.waitForFunction(() => document.getElementById('out')?.textContent);
    return (await (await said).jsonValue()) ?? '';
  } finally {
    await browser.close();
  }
}

const textOf = async (address: string) => (await fetch(address)).text();

describe.skipIf(!process.env.TRIL_FRAMEWORKS)('in', { timeout: 900_000 }, () => {
  it('Next.js: page, routes in Node and on the edge, and client', async () => {
    const route = (entry: string, more: string) => `import { loadTril } from '${entry}';
      import { compute } from '../../../compute.js';
      ${more}
      export const GET = async () => new Response(await compute(loadTril));`;
    const folder = install('next', ['next', 'react', 'react-dom'], {
      'app/layout.js': 'export default ({ children }) => <html><body>{children}</body></html>;',
      'app/page.js': `import { loadTril } from 'tril'; import { compute } from '../compute.js';
        export const dynamic = 'force-dynamic';
        export default async function Page() { return <p>{await compute(loadTril)}</p>; }`,
      'app/client/page.js': `'use client';
        import { useEffect, useState } from 'react';
        import { loadTril } from 'tril'; import { loadTril as inWorker } from 'tril/worker';
        import { compute } from '../../compute.js';
        export default function Page() {
          const [text, say] = useState('');
          useEffect(() => {
            Promise.all([loadTril, inWorker].map(compute)).then((all) => say(all.join(' ')), (error) => say(error.message));
          }, []);
          return <p id="out">{text}</p>;
        }`,
      'app/api/node/route.js': route('tril/training', "export const dynamic = 'force-dynamic';"),
      'app/api/edge/route.js': route('tril', "export const runtime = 'edge';"),
    });
    const next = join(folder, 'node_modules', 'next', 'dist', 'bin', 'next');
    call(folder, process.execPath, next, 'build');
    await serving(
      folder,
      (port) => [next, 'start', '-p', String(port)],
      async (url) => {
        expect(await textOf(url)).toContain(product);
        expect(await textOf(`${url}/api/node`)).toBe(product);
        expect(await textOf(`${url}/api/edge`)).toBe(product);
        expect(await visit(`${url}/client`)).toBe(`${product} ${product}`);
      },
    );
  });

  it('Nuxt: server and client', async () => {
    const folder = install('nuxt', ['nuxt', 'vue', 'vue-router'], {
      'nuxt.config.ts': "export default { compatibilityDate: '2026-01-01', telemetry: false };",
      'app.vue': `<script setup>
        import { loadTril } from 'tril'; import { compute } from './compute.js';
        const { data } = await useAsyncData(() => compute(loadTril));
        const client = ref('');
        onMounted(async () => (client.value = await compute(loadTril).catch((error) => error.message)));
        </script><template><b>{{ data }}</b><p id="out">{{ client }}</p></template>`,
    });
    call(folder, process.execPath, join(folder, 'node_modules/nuxt/bin/nuxt.mjs'), 'build');
    await serving(
      folder,
      () => ['.output/server/index.mjs'],
      async (url) => {
        expect(await textOf(url)).toContain(product);
        expect(await visit(url)).toBe(product);
      },
    );
  });

  it('SvelteKit: server and client', async () => {
    const packages = ['kit', 'adapter-node', 'vite-plugin-svelte'].map(
      (name) => `@sveltejs/${name}`,
    );
    const folder = install('kit', [...packages, 'svelte', 'vite'], {
      'svelte.config.js': `import adapter from '@sveltejs/adapter-node'; export default { kit: { adapter: adapter() } };`,
      'vite.config.js': `import { sveltekit } from '@sveltejs/kit/vite'; import adapter from '@sveltejs/adapter-node';
        export default { plugins: [sveltekit({ adapter: adapter() })], ssr: { noExternal: ['tril'] }, optimizeDeps: { exclude: ['tril'] } };`,
      'src/app.html': '<html><head>%sveltekit.head%</head><body>%sveltekit.body%</body></html>',
      'src/routes/+page.server.js': `import { loadTril } from 'tril'; import { compute } from '../../compute.js';
        export const load = async () => ({ product: await compute(loadTril) });`,
      'src/routes/+page.svelte': `<script>
        import { loadTril } from 'tril'; import { compute } from '../../compute.js';
        let { data } = $props(); let text = $state('');
        $effect(() => void compute(loadTril).then((all) => (text = all), (error) => (text = error.message)));
        </script><b>{data.product}</b><p id="out">{text}</p>`,
    });
    call(folder, process.execPath, join(folder, 'node_modules/vite/bin/vite.js'), 'build');
    await serving(
      folder,
      () => ['build/index.js'],
      async (url) => {
        expect(await textOf(url)).toContain(product);
        expect(await visit(url)).toBe(product);
      },
    );
  });

  const print = `import { loadTril } from 'tril'; import { compute } from './compute.js';
    console.log(await compute(loadTril));`;

  it('Deno, Bun, and a program that Bun has compiled', () => {
    const folder = install('runtimes', ['deno', 'bun'], { 'print.js': print });
    const at = (name: string) => join(folder, 'node_modules', '.bin', name);
    expect(call(folder, at('deno'), 'run', '-A', 'print.js').trim()).toBe(product);
    expect(call(folder, at('bun'), 'print.js').trim()).toBe(product);
    call(folder, at('bun'), 'build', '--compile', 'print.js', '--outfile', 'program');
    mkdirSync(join(folder, 'elsewhere'));
    copyFileSync(join(folder, 'program'), join(folder, 'elsewhere', 'program'));
    call(folder, 'chmod', '+x', 'elsewhere/program');
    expect(call(join(folder, 'elsewhere'), './program').trim()).toBe(product);
  });

  it('workerd, with and without what is like Node', async () => {
    const folder = install('workerd', ['miniflare'], {
      'worker.js': `import { loadTril } from 'tril'; import { compute } from './compute.js';
        export default { fetch: async () => new Response(await compute(loadTril)) };`,
      'run.js': `import { readdirSync } from 'node:fs'; import { Miniflare } from 'miniflare';
        for (const flags of [[], ['nodejs_compat']]) {
          const modules = readdirSync('out').map((name) => ({ type: name.endsWith('.js') ? 'ESModule' : 'CompiledWasm', path: 'out/' + name }));
          modules.sort((a) => (a.type === 'ESModule' ? -1 : 1));
          const flare = new Miniflare({ compatibilityDate: '2026-01-01', compatibilityFlags: flags, modulesRoot: 'out', modules });
          console.log(await (await flare.dispatchFetch('http://localhost/')).text());
          await flare.dispose();
        }`,
    });
    await build({
      entryPoints: [join(folder, 'worker.js')],
      outdir: join(folder, 'out'),
      ...{ bundle: true, format: 'esm', logLevel: 'error', assetNames: '[name]' },
      conditions: ['workerd', 'worker', 'browser'],
      loader: { '.wasm': 'copy' },
    });
    expect(readdirSync(join(folder, 'out')).sort()).toEqual(['tril-simd.wasm', 'worker.js']);
    const lines = call(folder, process.execPath, 'run.js').trim().split('\n');
    expect(lines).toEqual([product, product]);
  });
});
