// The limits that a module declares of the memory it is given.

import { importsOf, unsigned } from './sections.mjs';

/** In as many bytes as a number has there already: leading zeros are allowed. */
function overwrite(bytes, { at, end }, value) {
  for (; at < end; at += 1, value = Math.floor(value / 128)) {
    bytes[at] = (value % 128) | (at + 1 < end ? 128 : 0);
  }
}

/** Where the least size of the shared memory that the module imports stands, in pages. */
function leastOf(module) {
  const sharedMemory = 3; // of its flags: there is a most, and it is shared
  for (const { kind, at } of importsOf(module)) {
    if (kind !== 2 || module[at] !== sharedMemory) continue;
    return { at: at + 1, end: unsigned(module, at + 1).end };
  }
  throw new Error('the module imports no shared memory');
}

/**
 * The module, content with a shared memory that begins with `pages` pages. Emscripten declares the least as large as the
 * most, since it does not know that the module makes its memory grow (bindings/shared_memory.cc).
 */
export function withLeastMemory(module, pages) {
  const changed = new Uint8Array(module);
  overwrite(changed, leastOf(changed), pages);
  return changed;
}
