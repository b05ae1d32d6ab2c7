// ESLint for TypeScript, Svelte and the scripts; form is Prettier's, so no rules on that here.

import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import js from '@eslint/js';
import svelte from 'eslint-plugin-svelte';
import globals from 'globals';
import typescript from 'typescript-eslint';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

export default typescript.config(
  {
    ignores: [
      '**/node_modules/',
      '**/dist/',
      '**/generated/',
      '**/.svelte-kit/',
      '**/test-results/',
      '**/playwright-report/',
      'build/',
      'wasm/toolchain/emscripten/',
      'web/dist-*/',
    ],
  },
  js.configs.recommended,
  ...typescript.configs.recommended,
  ...svelte.configs.recommended,
  {
    basePath: root,
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      eqeqeq: 'error',
      'no-console': 'off',
      'no-eval': 'error',
      'no-implied-eval': 'error',
      'no-new-func': 'error',
      'prefer-const': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
    },
  },
  { files: ['**/*.mjs', '**/*.js', 'tests/**/*.ts'], languageOptions: { globals: globals.node } },
  {
    files: ['web/**', 'wasm/src/**', 'tests/web/**'],
    languageOptions: { globals: globals.browser },
  },
  { files: ['web/src/**', 'wasm/src/**'], rules: { 'no-console': 'error' } },
  { files: ['tests/**'], rules: { 'no-sparse-arrays': 'off' } }, // holes are bad input to try
  // It takes every URL for state; ours are addresses of workers and of the page.
  { files: ['web/src/**'], rules: { 'svelte/prefer-svelte-reactivity': 'off' } },
  // Every link of the page is relative, so that it works under any path: no base is to be resolved.
  { files: ['web/src/**'], rules: { 'svelte/no-navigation-without-resolve': 'off' } },
  {
    files: ['**/*.svelte', '**/*.svelte.ts'],
    languageOptions: {
      parserOptions: { parser: typescript.parser, extraFileExtensions: ['.svelte'] },
    },
  },
  {
    // The compiler knows better than no-undef what is defined.
    files: ['**/*.ts', '**/*.svelte'],
    rules: { 'no-undef': 'off' },
  },
);
