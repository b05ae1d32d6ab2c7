// Adapts Emscripten's scripts to bundlers and static hosts, for several versions of it.

/** The index after the bracket that closes the one at `open`; quoted text is skipped. */
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

/** The places where a Worker is started, as { begin, end, options }, with options as written there or in a variable. */
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
 * The script of the module `name`. The package fetches the module itself: `wasmUrl` is its address, and bundlers that
 * see this address ship the file. Node's own modules are loaded without an import, which bundlers for the web would
 * follow or refuse. Bundlers find Workers without running the script, so their options are written where they are used;
 * webpack puts scripts of one name into one file, hence a name for each module. Turbopack follows a script that starts
 * a Worker of itself forever, unless it is told to ignore that. The package learns of each Worker, since one that
 * cannot be started reports to nobody else. Throws if a script is unlike both Emscripten 3's and 6's.
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
