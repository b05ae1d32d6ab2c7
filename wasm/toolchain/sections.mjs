// The parts of a module's bytes (WebAssembly Core Specification, 5).

/** Reads an unsigned LEB128 number at `at`: its value, and the index after it. */
export function unsigned(bytes, at) {
  let value = 0;
  for (let factor = 1; ; factor *= 128) {
    const byte = bytes[at++];
    value += (byte & 127) * factor;
    if (byte < 128) return { value, end: at };
  }
}

/** The sections: { id, begin, end }, without their sizes. */
export function* sectionsOf(module) {
  for (let at = 8; at < module.length;) {
    const size = unsigned(module, at + 1);
    const end = size.end + size.value;
    yield { id: module[at], begin: size.end, end };
    at = end;
  }
}

/** The imports: { kind, at }, with the kind (0 for a function), and the index at which its description begins. */
export function* importsOf(module) {
  for (const { id, begin } of sectionsOf(module)) {
    if (id !== 2) continue;
    const count = unsigned(module, begin);
    let place = count.end;
    for (let left = count.value; left > 0; --left) {
      for (let names = 2; names > 0; --names) {
        const length = unsigned(module, place);
        place = length.end + length.value;
      }
      const kind = module[place];
      yield { kind, at: place + 1 };
      place = endOfImport(module, kind, place + 1);
    }
  }
}

/** Emscripten's modules import functions, and a memory if it is shared. */
function endOfImport(module, kind, at) {
  if (kind === 0) return unsigned(module, at).end;
  if (kind !== 2) throw new Error(`the module imports something of kind ${kind}`);
  const hasMost = module[at] & 1;
  const least = unsigned(module, at + 1);
  return hasMost ? unsigned(module, least.end).end : least.end;
}

/** Appends a custom section of this name with a text to the module. */
export function withCustomSection(module, name, text) {
  const [title, content] = [name, text].map((each) => Buffer.from(each));
  const size = 1 + title.length + content.length;
  if (size > 127) throw new Error(`the section ${name} is too long`); // its size takes one byte
  return Buffer.concat([module, Buffer.of(0, size, title.length), title, content]);
}
