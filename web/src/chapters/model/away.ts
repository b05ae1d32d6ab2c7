// The answers that the question about layers offers.

/** Layers in as many groups as there are answers to choose from, each with its first and last. */
export function groupsOf(layers: number): { readonly first: number; readonly last: number }[] {
  const count = Math.min(layers, layers > 6 ? 4 : layers);
  return Array.from({ length: count }, (_, n) => ({
    first: Math.floor((n * layers) / count),
    last: Math.floor(((n + 1) * layers) / count) - 1,
  }));
}
