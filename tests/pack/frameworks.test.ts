// The package in other bundlers, servers and runtimes, in the newest versions in the registry. They are a gigabyte and
// take minutes, so they are only installed and run on request: TRIL_FRAMEWORKS=1.
import { mkdirSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { serve } from '../../wasm/bench/serve.mjs';
import { allOutput, call } from './call.js';
import {
  callScript,
  expectBothSides,
  install,
  product,
  textOf,
  whileServing,
} from './elsewhere.js';
import { visit } from './visit.js';

const major = Number(process.versions.node.split('.')[0]);

describe.skipIf(!process.env.TRIL_FRAMEWORKS)('in', { timeout: 900_000 }, () => {
  // With webpack, Next.js 16.4 builds no edge route at all.
  it.each([
    ['--turbopack', ['node', 'edge']],
    ['--webpack', ['node']],
  ] as const)('Next.js, with %s: page, routes in %j, client', async (bundler, routes) => {
    const runtimes = {
      node: "export const dynamic = 'force-dynamic';",
      edge: "export const runtime = 'edge';",
    };
    const route = (entry: string, more: string) => `
        import { loadTril } from '${entry}';
        import { compute } from '../../../compute.js';
        ${more}
        export const GET = async () => new Response(await compute(loadTril));`;
    const folder = await install(['next', 'react', 'react-dom'], {
      'app/layout.js': 'export default ({ children }) => <html><body>{children}</body></html>;',
      'app/client.js': `'use client';
          import { useEffect } from 'react';
          import { onClient } from '../client.js';
          export default function Client() {
            useEffect(() => { globalThis.computed = onClient(); }, []);
          }`,
      'app/page.js': `
          import { loadTril } from 'tril';
          import { compute } from '../compute.js';
          import Client from './client.js';
          export const dynamic = 'force-dynamic';
          export default async function Page() {
            return <p>{await compute(loadTril)}<Client /></p>;
          }`,
      ...Object.fromEntries(
        routes.map((name) => [
          `app/api/${name}/route.js`,
          route(name === 'node' ? 'tril/training' : 'tril', runtimes[name]),
        ]),
      ),
    });
    await callScript(folder, 'next/dist/bin/next', 'build', bundler);
    await whileServing(folder, ['node_modules/next/dist/bin/next', 'start'], async (url) => {
      await expectBothSides(url);
      for (const name of routes) expect(await textOf(`${url}/api/${name}`)).toBe(product);
    });
  });

  it('Nuxt: server and client', async () => {
    const folder = await install(['nuxt', 'vue', 'vue-router'], {
      'nuxt.config.ts': `export default {
        compatibilityDate: '2026-01-01',
        vite: { worker: { format: 'es' } },
      };`,
      'app/app.vue': `<script setup>
        import { loadTril } from 'tril';
        import { compute } from '../compute.js';
        import { onClient } from '../client.js';
        const { data } = await useAsyncData(() => compute(loadTril));
        onMounted(() => { globalThis.computed = onClient(); });
        </script><template><p>{{ data }}</p></template>`,
    });
    await callScript(folder, 'nuxt/bin/nuxt.mjs', 'build');
    await whileServing(folder, ['.output/server/index.mjs'], expectBothSides);
  });

  it('SvelteKit: server and client', async () => {
    // SvelteKit 3 needs Node 22, which its adapters do not state.
    const packages =
      major < 22 ? ['kit@2', 'adapter-node@5'] : ['kit@latest', 'adapter-node@latest'];
    const all = [...packages, 'vite-plugin-svelte'].map((name) => `@sveltejs/${name}`);
    const folder = await install([...all, 'svelte', 'vite'], {
      'vite.config.js': `
        import { sveltekit } from '@sveltejs/kit/vite';
        import adapter from '@sveltejs/adapter-node';
        export default {
          plugins: [sveltekit({ adapter: adapter() })],
          worker: { format: 'es' },
        };`,
      'src/app.html':
        '<html><head>%sveltekit.head%</head><body><div>%sveltekit.body%</div></body></html>',
      'src/routes/+page.server.js': `
        import { loadTril } from 'tril';
        import { compute } from '../../compute.js';
        export const load = async () => ({ product: await compute(loadTril) });`,
      'src/routes/+page.svelte': `<script>
        import { onClient } from '../../client.js';
        let { data } = $props();
        $effect(() => { globalThis.computed = onClient(); });
        </script><p>{data.product}</p>`,
    });
    await callScript(folder, 'vite/bin/vite.js', 'build');
    await whileServing(folder, ['build/index.js'], expectBothSides);
  });

  /** The value of `computed` in a page in out/ that a bundler has made from these files. */
  async function bundled(
    packages: string[],
    files: Record<string, string>,
    [script, ...args]: [script: string, ...args: string[]],
  ): Promise<unknown> {
    const folder = await install(packages, files);
    await callScript(folder, script, ...args);
    const { url, close } = await serve(join(folder, 'out'), { isolated: false });
    try {
      return await visit(`${url}/index.html`);
    } finally {
      close();
    }
  }
  const page = '<!doctype html><script type="module" src="./main.js"></script>';

  it('webpack: a page and its Worker', async () => {
    const files = {
      'out/index.html': page, // beside the script
      'main.js': "import { onClient } from './client.js'; globalThis.computed = onClient();",
    };
    const options = ['--mode=production', '--entry=./main.js', '--output-path=out'];
    const found = await bundled(['webpack', 'webpack-cli'], files, [
      'webpack/bin/webpack.js',
      ...options,
    ]);
    expect(found).toEqual([product, product]);
  });

  it('Parcel: a page', async () => {
    const files = {
      'package.json': `{
        "private": true, "type": "module",
        "@parcel/resolver-default": { "packageExports": true }
      }`,
      'index.html': page,
      'main.js': `
        import { loadTril } from 'tril';
        import { compute } from './compute.js';
        globalThis.computed = compute(loadTril);`,
    };
    const options = ['build', 'index.html', '--dist-dir=out'];
    const found = await bundled(['parcel', 'process'], files, ['parcel/lib/bin.js', ...options]);
    expect(found).toBe(product);
  });

  const print = `
    import { loadTril } from 'tril';
    import { compute } from './compute.js';
    console.log(await compute(loadTril));`;

  it('Deno, Bun, and a program that Bun has compiled', async () => {
    const folder = await install(['deno', 'bun'], { 'print.js': print });
    const at = (name: string) => join(folder, 'node_modules', '.bin', name);
    expect(await allOutput(folder, at('deno'), 'run', '-A', 'print.js')).toBe(`${product}\n`);
    expect(await allOutput(folder, at('bun'), 'print.js')).toBe(`${product}\n`);
    await call(folder, at('bun'), 'build', '--compile', 'print.js', '--outfile', 'program');
    const elsewhere = join(folder, 'elsewhere'); // without the package
    mkdirSync(elsewhere);
    renameSync(join(folder, 'program'), join(elsewhere, 'program'));
    expect(await allOutput(elsewhere, './program')).toBe(`${product}\n`);
  });

  it('Node 18, without Workers', async () => {
    const old = `node-${process.platform}-${process.arch}`;
    const folder = await install([`${old}@18`], {
      'print.js': `${print}
        import { loadTril as loadInWorker } from 'tril/worker';
        console.log((await loadTril({ threads: 2 })).threads);
        await loadInWorker().catch((error) => console.log(error.message));`,
    });
    const node = join(folder, 'node_modules', old, 'bin', 'node');
    const lines = (await allOutput(folder, node, 'print.js')).split('\n');
    expect(lines).toEqual([
      product,
      '1',
      expect.stringMatching(/^loadTril: worker: .*Worker is not defined/),
      '',
    ]);
  });

  it('workerd, with and without what is like Node', async () => {
    const folder = await install(['miniflare'], {
      'worker.js': `
        import { loadTril } from 'tril';
        import { compute } from './compute.js';
        export default { fetch: async () => new Response(await compute(loadTril)) };`,
      'run.js': `
        import { readdirSync } from 'node:fs';
        import { Miniflare } from 'miniflare';
        const typeOf = (name) => (name.endsWith('.js') ? 'ESModule' : 'CompiledWasm');
        const modules = readdirSync('out').map((name) => ({ type: typeOf(name), path: 'out/' + name }));
        modules.sort(({ type }) => (type === 'ESModule' ? -1 : 1)); // the first is run
        for (const compatibilityFlags of [[], ['nodejs_compat']]) {
          const options = { compatibilityDate: '2026-01-01', compatibilityFlags, modulesRoot: 'out', modules };
          const flare = new Miniflare(options);
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
    const lines = (await call(folder, process.execPath, 'run.js')).trim().split('\n');
    expect(lines).toEqual([product, product]);
  });
});
