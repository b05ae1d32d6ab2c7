import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig, type Plugin } from 'vite';
import { worksOffline } from './offline/plugin';

// The built page may load nothing but its own files, and runs no inline script. WebAssembly has to be
// allowed by name. KaTeX and Svelte set styles through the DOM, which the policy does not concern.
const policy = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src 'self'",
  "connect-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self' data:",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** In the build only: the development server injects inline scripts and styles of its own. */
function contentSecurityPolicy(): Plugin {
  return {
    name: 'content-security-policy',
    apply: 'build',
    transformIndexHtml: () => [
      {
        tag: 'meta',
        attrs: { 'http-equiv': 'Content-Security-Policy', content: policy },
        injectTo: 'head-prepend',
      },
    ],
  };
}

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

/** What the chapters share is one file: as twenty, each asked for by its own request, the first figure came later. */
function shared(id: string): string | undefined {
  return /\/web\/src\/(compute|state|figures)\//.test(id) ? 'shared' : undefined;
}

export default defineConfig({
  base: './', // works under any path of any static host
  plugins: [svelte(), withoutThreads(), newestFontsOnly(), contentSecurityPolicy(), worksOffline()],
  worker: { format: 'es', plugins: () => [withoutThreads()] },
  optimizeDeps: { exclude: ['tril'] }, // it finds its .wasm files beside itself
  build: {
    target: 'es2022',
    assetsInlineLimit: 0, // data: addresses are against the policy
    modulePreload: { polyfill: false },
    rollupOptions: { output: { manualChunks: shared } },
  },
});
