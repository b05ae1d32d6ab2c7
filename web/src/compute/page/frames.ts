// Work outside of rendering.

/**
 * Runs `work` with the frame's time after the next frame, in a task separate from the rendering of its changes. The
 * result cancels it.
 */
export function afterFrame(work: (now: number) => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const frame = requestAnimationFrame((now) => (timer = setTimeout(work, 0, now)));
  return () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  };
}
