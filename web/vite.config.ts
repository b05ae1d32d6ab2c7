import { sveltekit } from '@sveltejs/kit/vite';
import { defineConfig, type Plugin } from 'vite';
import { chunksByPages } from './chunks';
import { meaningOpening } from './meaning';
import { notices } from './notices';
import { opening } from './opening';
import { texts } from './texts/plugin';

/** Every browser that runs the page supports woff2: older formats of the fonts need not be shipped. */
function newestFontsOnly(): Plugin {
  return {
    name: 'newest-fonts-only',
    enforce: 'pre',
    transform: (code, id) =>
      /\.css$/.test(id)
        ? code.replace(/,\s*url\([^)]*\)\s*format\(["'](?:woff|truetype)["']\)/g, '')
        : null,
  };
}

/**
 * A thread of a module runs the script that starts it: if Vite found that by its name, it would be built, and loaded,
 * twice.
 */
function threadsFromThemselves(): Plugin {
  return {
    name: 'threads-from-themselves',
    enforce: 'pre',
    // Files keep their names, by which the service worker knows which ones this engine needs.
    outputOptions: (options) => ({
      ...options,
      chunkFileNames: ({ name }) =>
        String(options.chunkFileNames).replace(
          '[hash]',
          name.startsWith('tril-') ? '[name]-[hash]' : '[hash]',
        ),
    }),
    transform: (code, id) =>
      /\/tril-\w+-threads(-lessons|-training)?\.js$/.test(id)
        ? code.replace(
            /new Worker\((?:\/\*.*?\*\/\s*)?new URL\("[^"]+",\s*import\.meta\.url\)/,
            'new Worker(import.meta.url',
          )
        : null,
  };
}

/** In engines without symbols the library would draw a random name. Every engine that runs the page has symbols. */
const withoutChance = (): Plugin => ({
  name: 'without-chance',
  transform: (code, id) =>
    id.includes('/style-mod/') ? code.replace('Math.floor(Math.random() * 1e8)', '0') : null,
});

/**
 * Puts a Worker's part of the package into a file next to the Worker's own. If a file that is loaded later imported
 * from the Worker's own file, WebKit would run that a second time.
 */
const besideWorker = (id: string) =>
  /\/wasm\/dist\/(?!generated\/|notebook\/)/.test(id) ? 'package' : undefined;

export default defineConfig({
  plugins: [
    texts(),
    meaningOpening(),
    opening(),
    sveltekit(),
    newestFontsOnly(),
    withoutChance(),
    notices(),
  ],
  worker: {
    format: 'es',
    plugins: () => [threadsFromThemselves()],
    rollupOptions: { output: { manualChunks: besideWorker } },
  },
  optimizeDeps: { exclude: ['tril'] }, // it finds its .wasm files next to itself
  ssr: { external: ['tril'] }, // Node runs it when pages are prerendered
  build: {
    target: 'es2022',
    rollupOptions: { output: { manualChunks: chunksByPages() } },
    assetsInlineLimit: 0, // the policy forbids data: addresses
  },
});
