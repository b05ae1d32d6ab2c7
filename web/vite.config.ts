import { sveltekit } from '@sveltejs/kit/vite';
import { defineConfig, type Plugin } from 'vite';
import { texts } from './texts/plugin';

/**
 * The page's matrices are small and its Worker keeps it responsive, so that one thread does. The threaded
 * builds, which start Workers in a way that Vite cannot follow, stay out of it.
 */
function withoutThreads(): Plugin {
  return {
    name: 'without-threads',
    enforce: 'pre',
    load: (id) =>
      /tril-[a-z]+-threads\.js$/.test(id)
        ? "export default () => Promise.reject(new Error('this page is built without threads'));"
        : null,
  };
}

/** Every browser that runs the page knows woff2: older formats of the fonts need not be shipped. */
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

export default defineConfig({
  plugins: [texts(), sveltekit(), withoutThreads(), newestFontsOnly()],
  worker: { format: 'es', plugins: () => [withoutThreads()] },
  optimizeDeps: { exclude: ['tril'] }, // it finds its .wasm files beside itself
  ssr: { external: ['tril'] }, // as Node runs it, when pages are prerendered
  build: {
    target: 'es2022',
    assetsInlineLimit: 0, // data: addresses are against the policy
  },
});
