import { staticSite } from './adapter.js';

/** A language other than English is built in a separate folder. */
const { TRIL_LANGUAGE: language } = process.env;

/** The built pages may load nothing but their own files, and run no script that was not built into them. */
const policy = {
  'default-src': ['none'],
  // WebAssembly is allowed by name, and the few lines that start a page by their hash.
  'script-src': ['self', 'wasm-unsafe-eval'],
  'worker-src': ['self'],
  'connect-src': ['self'],
  'style-src': ['self'],
  // The positions and sizes of cells are attributes of figures that were drawn when the page was built.
  'style-src-attr': ['unsafe-inline'],
  'font-src': ['self'],
  'img-src': ['self', 'data:'],
  'manifest-src': ['self'],
  'base-uri': ['none'],
  'form-action': ['none'],
};

/** @type {import('@sveltejs/kit').Config} */
export default {
  compilerOptions: { runes: true },
  kit: {
    adapter: staticSite(),
    ...(language && { outDir: `.svelte-kit/${language}` }),
    appDir: 'assets', // some hosts do not serve folders whose names begin with "_"
    files: { assets: 'static' },
    paths: { relative: true }, // works under any path of any static host
    csp: { mode: 'hash', directives: policy },
    // "#?step=weights" is a state, not an element of the page.
    prerender: {
      handleMissingId: ({ id, message }) => {
        if (!id.includes('?')) throw new Error(message);
      },
    },
    serviceWorker: { register: false }, // shell/offline.ts does, once the page has nothing else to load
    typescript: {
      config: (config) => ({
        ...config,
        include: [...config.include, '../vite.config.ts', '../generated', '../texts'],
      }),
    },
  },
};
