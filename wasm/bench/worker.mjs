// The Worker in which a browser measures: a message names the file to run, and it answers with each case's results,
// then with { done } or { failed }. A classic Worker, since LiteRT.js calls importScripts.

globalThis.onmessage = async ({ data: { script, call, request } }) => {
  try {
    const [{ loadTril }, { loadTril: loadTraining }, module] = await Promise.all([
      import('/wasm/dist/lessons.js'),
      import('/wasm/dist/training.js'),
      import(script),
    ]);
    const done = await module[call](request, { loadTril, loadTraining }, (results) =>
      globalThis.postMessage({ results }),
    );
    globalThis.postMessage({ done });
  } catch (error) {
    globalThis.postMessage({ failed: `${error.stack ?? error}` });
  }
};
