import { sveltekit } from '@sveltejs/kit/vite';
import { defineConfig, type Plugin } from 'vite';
import { texts } from './texts/plugin';

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
  plugins: [texts(), sveltekit(), newestFontsOnly()],
  worker: { format: 'es' },
  optimizeDeps: { exclude: ['tril'] }, // it finds its .wasm files beside itself
  ssr: { external: ['tril'] }, // as Node runs it, when pages are prerendered
  build: {
    target: 'es2022',
    assetsInlineLimit: 0, // data: addresses are against the policy
  },
});
