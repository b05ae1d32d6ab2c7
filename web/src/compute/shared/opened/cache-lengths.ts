// Lengths of a text at which one more token is timed.
const shortest = 16;

/** Powers of two up to the context, and the context itself. */
export function lengthsOf(context: number): number[] {
  const lengths: number[] = [];
  for (let tokens = shortest; tokens < context; tokens *= 2) lengths.push(tokens);
  return [...lengths, context];
}
