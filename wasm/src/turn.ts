/** Behind all tasks that wait: by a message, since a browser's timers take 4 milliseconds. */
function nextTask(): Promise<void> {
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
 * What lets others have their turn, a page that draws and hears: when it is called, or, since that
 * takes its time, when 10 milliseconds have passed since the last.
 */
export function othersTurn(): () => Promise<void> {
  let last = performance.now();
  return async () => {
    if (performance.now() - last <= 10) return;
    await nextTask();
    last = performance.now();
  };
}
