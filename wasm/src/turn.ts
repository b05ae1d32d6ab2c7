/**
 * What lets others have their turn, a page that draws and hears: when it is called, or, since that
 * takes its time, when 10 milliseconds have passed since the last.
 */
export function othersTurn(): () => Promise<void> {
  let last = performance.now();
  return async () => {
    if (performance.now() - last <= 10) return;
    await new Promise((resume) => setTimeout(resume));
    last = performance.now();
  };
}
