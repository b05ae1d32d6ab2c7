/** Resolves after all tasks that wait. By a message, since a browser's timers take 4 milliseconds. */
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
 * Makes a pause for long loops: it lets other tasks run, so that a page draws and hears, once 10 milliseconds have
 * passed since the last. Until then it does nothing, since letting others run takes its time.
 */
export function yieldToEventLoop(): () => Promise<void> {
  let last = performance.now();
  return async () => {
    if (performance.now() - last <= 10) return;
    await nextTask();
    last = performance.now();
  };
}
