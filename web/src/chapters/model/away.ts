// The options of the question about layers.

/** Divides the layers into as many groups as there are options, each with its first and last layer. */
export function groupsOf(layers: number): { readonly first: number; readonly last: number }[] {
  const count = Math.min(layers, layers > 6 ? 4 : layers);
  return Array.from({ length: count }, (_, n) => ({
    first: Math.floor((n * layers) / count),
    last: Math.floor(((n + 1) * layers) / count) - 1,
  }));
}
