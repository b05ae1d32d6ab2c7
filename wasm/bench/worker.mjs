// The Worker in which a browser measures: told which file does what, it answers with each case's
// results, then with { done } or { failed }. A classic Worker, since LiteRT.js calls importScripts.

globalThis.onmessage = async ({ data: { script, call, request } }) => {
  try {
    const [{ loadTril }, module] = await Promise.all([
      import('/wasm/dist/index.js'),
      import(script),
    ]);
    const done = await module[call](request, loadTril, (results) =>
      globalThis.postMessage({ results }),
    );
    globalThis.postMessage({ done });
  } catch (error) {
    globalThis.postMessage({ failed: `${error.stack ?? error}` });
  }
};
