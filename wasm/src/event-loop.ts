/** Resolves after all waiting tasks. It uses a message, since a browser's timers take 4 milliseconds. */
export function nextTask(): Promise<void> {
  return new Promise((resume) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resume();
    };
    port2.postMessage(null);
  });
}

/**
 * Makes a pause for long loops. It lets other tasks run once 10 milliseconds have passed since the last pause, so
 * that a page can draw and react. Until then it does nothing, since a pause takes time itself.
 */
export function yieldToEventLoop(): () => Promise<void> {
  let last = performance.now();
  return async () => {
    if (performance.now() - last <= 10) return;
    await nextTask();
    last = performance.now();
  };
}
