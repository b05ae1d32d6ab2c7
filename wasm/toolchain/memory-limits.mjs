// The limits that a module declares for its imported memory.

import { importsOf, unsigned } from './sections.mjs';

/** Overwrites a number in as many bytes as it has: leading zeros are allowed. */
function overwrite(bytes, { at, end }, value) {
  for (; at < end; at += 1, value = Math.floor(value / 128)) {
    bytes[at] = (value % 128) | (at + 1 < end ? 128 : 0);
  }
}

/** The position of the minimum size of the module's imported shared memory, in pages. */
function leastOf(module) {
  const sharedMemory = 3; // flags: it has a maximum, and is shared
  for (const { kind, at } of importsOf(module)) {
    if (kind !== 2 || module[at] !== sharedMemory) continue;
    return { at: at + 1, end: unsigned(module, at + 1).end };
  }
  throw new Error('the module imports no shared memory');
}

/**
 * The module, changed to accept a shared memory of initially `pages` pages. Emscripten declares the minimum as large as
 * the maximum, since it does not know that the module makes its memory grow (bindings/shared_memory.cc).
 */
export function withLeastMemory(module, pages) {
  const changed = new Uint8Array(module);
  overwrite(changed, leastOf(changed), pages);
  return changed;
}
