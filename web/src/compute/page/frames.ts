// Work apart from drawing.

/** After the next frame, whose time `work` is told: in a task apart from drawing what it changes. The result takes it back. */
export function afterFrame(work: (now: number) => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const frame = requestAnimationFrame((now) => (timer = setTimeout(work, 0, now)));
  return () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  };
}
