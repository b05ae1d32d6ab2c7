// ESLint for TypeScript, Svelte and the scripts; Prettier formats, so there are no rules on that here.

import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import js from '@eslint/js';
import svelte from 'eslint-plugin-svelte';
import globals from 'globals';
import typescript from 'typescript-eslint';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

// Features missing in the oldest browsers of package and page (wasm/README.md: Chrome and Edge 103, Firefox 114, Safari
// 16.4); the compiler rejects later methods of arrays and the like, by its `lib`.
const newer = [
  ['AbortSignal', 'any'],
  ['Array', 'fromAsync'],
  ['Error', 'isError'],
  ['Intl', 'DurationFormat'],
  ['Iterator', 'from'],
  ['Map', 'groupBy'],
  ['Object', 'groupBy'],
  ['Promise', 'try'],
  ['Promise', 'withResolvers'],
  ['RegExp', 'escape'],
  ['Response', 'json'],
  ['URL', 'canParse'],
  ['URL', 'parse'],
  ['Uint8Array', 'fromBase64'],
  ['Uint8Array', 'fromHex'],
  ['Atomics', 'waitAsync'],
].map(([object, property]) => ({ object, property, message: 'browsers that we run in lack it' }));
const newerMethods = [
  ...['toReversed', 'toSorted', 'toSpliced', 'isWellFormed', 'toWellFormed', 'checkVisibility'],
  ...[
    'union',
    'intersection',
    'symmetricDifference',
    'isSubsetOf',
    'isSupersetOf',
    'isDisjointFrom',
  ],
  ...['transferToFixedLength', 'toBase64', 'moveBefore', 'setHTMLUnsafe', 'getHTML', 'showPopover'],
];
const newerCalls = {
  selector: `CallExpression > MemberExpression.callee[property.name=/^(${newerMethods.join('|')})$/]`,
  message: 'browsers that we run in lack it',
};

/** Built-in classes, of which every frame, node:vm context and Jest have their own. */
const ofRealms = {
  selector:
    'BinaryExpression[operator="instanceof"]:matches([right.object.name="WebAssembly"], ' +
    '[right.name=/^(\\w*Array|\\w*ArrayBuffer|DataView|Blob|File|Map|Set|WeakMap|Promise|RegExp|Date|Object|Function|' +
    '(?!Tril)\\w*Error|DOMException|URL|AbortSignal|Response|Request|\\w*Worker|MessagePort|ReadableStream)$/])',
  message: 'of another realm it is none; src/kinds.ts tells what it is',
};

/** Keys that a program makes, each only once; `idOf(...)` and the like make one. */
const unique = new Set(['id', 'ids', 'key', 'row', 'col', 'query', 'part', 'idOf']);

function* namesIn(node) {
  if (node?.type === 'Identifier') yield node.name;
  for (const [field, inner] of Object.entries(node ?? {})) {
    if (field === 'parent' || typeof inner !== 'object') continue;
    for (const one of [inner].flat()) if (one?.type) yield* namesIn(one);
  }
}

/** A text of a visitor, a file or a model may occur twice, but a key may not. */
const uniqueKeys = {
  create: (context) => ({
    SvelteEachBlock({ index, key }) {
      if (!key || [...namesIn(key)].some((name) => name === index?.name || unique.has(name)))
        return;
      context.report({ node: key, message: 'Key by index, or by an id.' });
    },
  }),
};

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
  {
    files: ['web/src/**', 'wasm/src/**'],
    rules: {
      'no-console': 'error',
      'no-restricted-properties': ['error', ...newer],
      'no-restricted-syntax': ['error', newerCalls],
    },
  },
  { files: ['wasm/src/**'], rules: { 'no-restricted-syntax': ['error', newerCalls, ofRealms] } },
  { files: ['tests/**'], rules: { 'no-sparse-arrays': 'off' } }, // holes are wrong input for tests
  // The rule takes every URL for state; ours are addresses of workers and of the page.
  { files: ['web/src/**'], rules: { 'svelte/prefer-svelte-reactivity': 'off' } },
  // Every link of the page is relative, so that it works under any path: there is no base to resolve.
  { files: ['web/src/**'], rules: { 'svelte/no-navigation-without-resolve': 'off' } },
  {
    files: ['**/*.svelte', '**/*.svelte.ts'],
    languageOptions: {
      parserOptions: { parser: typescript.parser, extraFileExtensions: ['.svelte'] },
    },
  },
  {
    // Exported programs: figures/quoting.ts puts texts into them.
    files: ['web/src/chapters/**/*code*.ts', 'web/src/figures/{code,program}*.ts'],
    rules: {
      'no-restricted-properties': ['error', ...newer, { object: 'JSON', property: 'stringify' }],
    },
  },
  {
    files: ['**/*.svelte'],
    plugins: { tril: { rules: { 'unique-keys': uniqueKeys } } },
    rules: { 'tril/unique-keys': 'error' },
  },
  {
    // The compiler knows better than no-undef what is defined.
    files: ['**/*.ts', '**/*.svelte'],
    rules: { 'no-undef': 'off' },
  },
);
