// Chapter "Model": the shipped model in Node, on the package.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadTril } from 'tril/training';
import { openingText } from '../../../web/src/compute/opened/opening-text.ts';
import { readingOf } from '../../../web/src/compute/opened/reading.ts';
import type { Opened } from '../../../web/src/compute/opened/work.ts';
import { shapeOf } from '../../../web/src/compute/opened/shape.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** What a visitor would choose of a folder. */
export const filesOf = (folder: string) =>
  readdirSync(join(root, folder))
    .filter((name) => /\.(json|safetensors)$/u.test(name))
    .map((name) => ({ name, buffer: readFileSync(join(root, folder, name)) }));

/** A model in Node; what is drawn of it is held against this. */
export async function openedOf(folder: string): Promise<Opened> {
  const tril = await loadTril();
  const files = filesOf(folder);
  const model = await tril.loadModel(
    Object.fromEntries(files.map(({ name, buffer }) => [name, new Uint8Array(buffer)])),
  );
  const tokenizer = files.some(({ name }) => name === 'tokenizer.json');
  return { tril, model, shape: shapeOf(model.config), tokenizer };
}

/** What a head of the shipped model looks at in a text, from 1. */
export async function headOf(layer: number, head: number, text = openingText) {
  const { tokens, weights } = readingOf(await openedOf('models/gpt'), { text, then: [] });
  const size = tokens.length;
  return Array.from({ length: size }, (_, row) => [
    ...weights[layer - 1].subarray(
      ((head - 1) * size + row) * size,
      ((head - 1) * size + row + 1) * size,
    ),
  ]);
}
