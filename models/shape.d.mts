/** What a config.json calls differently by its family. */
export function shapeOf(config: Readonly<Record<string, unknown>>): {
  layers: number;
  heads: number;
  context: number;
  vocabulary: number;
};
