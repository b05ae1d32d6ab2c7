// The limits that a module declares of the memory it is given.

/** An unsigned number in LEB128 at `at`: its value, and where the next begins. */
function unsigned(bytes, at) {
  let value = 0;
  for (let factor = 1; ; factor *= 128) {
    const byte = bytes[at++];
    value += (byte & 127) * factor;
    if (byte < 128) return { value, end: at };
  }
}

/** In as many bytes as a number has there already: leading zeros are allowed. */
function overwrite(bytes, { at, end }, value) {
  for (; at < end; at += 1, value = Math.floor(value / 128)) {
    bytes[at] = (value % 128) | (at + 1 < end ? 128 : 0);
  }
}

/** Where the least size of the shared memory that the module imports stands, in pages. */
function leastOf(module) {
  const importSection = 2;
  for (let at = 8; at < module.length;) {
    const id = module[at];
    const size = unsigned(module, at + 1);
    if (id !== importSection) {
      at = size.end + size.value;
      continue;
    }
    const count = unsigned(module, size.end);
    let place = count.end;
    for (let left = count.value; left > 0; --left) {
      for (let names = 2; names > 0; --names) {
        const length = unsigned(module, place);
        place = length.end + length.value;
      }
      const kind = module[place];
      const sharedMemory = 3; // of its flags: there is a most, and it is shared
      if (kind === 2 && module[place + 1] === sharedMemory) {
        return { at: place + 2, end: unsigned(module, place + 2).end };
      }
      // Behind a function's kind stands the number of its type. The modules import nothing else.
      if (kind !== 0) throw new Error(`the module imports something of kind ${kind}`);
      place = unsigned(module, place + 1).end;
    }
  }
  throw new Error('the module imports no shared memory');
}

/**
 * The module, content with a shared memory of `pages` pages. Emscripten declares the least as large as the most where
 * memory does not grow, and how large it is only who loads the module knows.
 */
export function withLeastMemory(module, pages) {
  const changed = new Uint8Array(module);
  overwrite(changed, leastOf(changed), pages);
  return changed;
}
