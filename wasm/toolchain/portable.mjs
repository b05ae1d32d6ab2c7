// Emscripten's scripts as bundlers and static hosts take them, whichever version has written them.

/** The index behind the bracket that closes the one at `open`; text in quotes is passed over. */
function closing(script, open) {
  let depth = 0;
  for (const { 0: token, index } of script
    .slice(open)
    .matchAll(/[([{}\])]|(["'`])(?:\\.|(?!\1).)*\1/g)) {
    if ('([{'.includes(token)) depth += 1;
    if ('}])'.includes(token) && (depth -= 1) === 0) return open + index + 1;
  }
  throw new Error('a bracket is never closed');
}

/** Where a Worker is started as { begin, end, options }, options as they are written there or in a variable. */
function workersIn(script) {
  return [...script.matchAll(/new Worker\(/g)].map(({ index: begin, 0: { length } }) => {
    const end = closing(script, begin + length - 1);
    const [, place, name] =
      /^new Worker\((new URL\(.*\)),\s*(.*)\)$/s.exec(script.slice(begin, end)) ?? [];
    if (!place)
      throw new Error(`a Worker is started of something else: ${script.slice(begin, end)}`);
    if (name.startsWith('{')) return { begin, end, options: name };
    const [declared] = new RegExp(`\\b${name}\\s*=\\s*(?=\\{)`).exec(script) ?? [];
    if (!declared) throw new Error(`a Worker has no options: ${script.slice(begin, end)}`);
    const open = script.indexOf(declared) + declared.length;
    return { begin, end, options: script.slice(open, closing(script, open)) };
  });
}

/**
 * The script of the module `name`. The package fetches the module itself: `wasmUrl` says where it lies, and bundlers
 * that see this address ship the file. Node's own modules come without an import, which bundlers for the web follow or
 * refuse. Bundlers read where Workers come from without running the script, so the options stand where they are used;
 * webpack puts scripts of one name into one file, hence a name for each module. Turbopack follows a script that starts
 * a Worker of itself for ever, unless it is told to ignore that. The package is told of Workers, since one that cannot
 * be started says so to nobody else. Throws where a script is unlike both Emscripten 3's and 6's.
 */
export function portable(script, name) {
  const builtIn = /await import\((["'])(?:node:)?([\w/]+)\1\)/g;
  script = script.replace(builtIn, 'process.getBuiltinModule("$2")');
  if (/\bimport\s*\(/.test(script)) throw new Error(`${name}.mjs imports something`);
  if (name.includes('-threads') && !script.includes('getBuiltinModule')) {
    throw new Error(`${name}.mjs asks nothing of Node`);
  }
  const workers = workersIn(script);
  if (workers.length !== Number(name.includes('-threads'))) {
    throw new Error(`${name}.mjs starts Workers in ${workers.length} places`);
  }
  for (const { begin, end, options } of workers) {
    const named = options.replace(/(["']?name["']?:\s*)(["'])(em-pthread)\2/, `$1"$3-${name}"`);
    if (named === options)
      throw new Error(`${name}.mjs: its Workers are not named em-pthread: ${options}`);
    const url = `/* turbopackIgnore: true */ new URL("${name}.js",import.meta.url)`;
    const worker = `Module.trilStarted(new Worker(${url},${named}))`;
    script = script.slice(0, begin) + worker + script.slice(end);
  }
  const address = `new URL("${name}.wasm",import.meta.url)`;
  const own = new RegExp(
    `new URL\\((["'])${name}\\.wasm\\1,\\s*import\\.meta\\.url\\)\\.href`,
    'g',
  );
  if (!own.test(script)) throw new Error(`${name}.mjs does not say where its module lies`);
  return `${script.replace(own, '""')}\nexport const wasmUrl=()=>${address};\n`;
}
