// What chapter "Meaning" opens with, computed by the core while the page is built: `$meaning`, with the sizes of the files
// that it loads when somebody asks for them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadTril } from 'tril';
import type { Plugin } from 'vite';
import type { Made } from './src/compute/meaning/made';
import { opening } from './src/compute/meaning/presets';
import { tableOf, viewOf } from './src/compute/meaning/table';
import { shapeOf } from '../models/shape.mjs';
import { meaningFiles, shareFile, shareOfSpeeches, shippedFolder } from './shipped.js';

const name = '$meaning';
/** Numbers of the core are float32: so many digits say which. */
const digits = 9;

/** Of a model's settings; null without any. */
const layersOf = (config: Uint8Array | undefined): number | null =>
  config
    ? shapeOf(JSON.parse(new TextDecoder().decode(config)) as Record<string, unknown>).layers
    : null;

async function made(): Promise<Made> {
  const tril = await loadTril();
  const files = meaningFiles.map(
    (file) => [file, readFileSync(join(shippedFolder, file))] as const,
  );
  const table = await tableOf(
    tril,
    new Uint8Array(Object.fromEntries(files)['vectors/vectors.safetensors']),
  );
  const [words, width] = table.unit.shape;
  const share = shareOfSpeeches();
  const sizes = files.map(([file, { length }]) => [file, length] as const);
  return {
    view: viewOf(tril, table, opening),
    about: { words, width, steps: 0 },
    sizes: Object.fromEntries([...sizes, ...(share ? [[shareFile, share.bytes.length]] : [])]),
    layers: layersOf(Object.fromEntries(files)['encoder/config.json']),
    years: share?.years ?? null,
  };
}

export function meaningOpening(): Plugin {
  let source: Promise<string> | undefined;
  return {
    name: 'meaning',
    resolveId: (id) => (id === name ? `\0${name}` : null),
    load(id) {
      if (id !== `\0${name}`) return null;
      for (const file of meaningFiles) this.addWatchFile(join(shippedFolder, file));
      const short = (_: string, value: unknown) =>
        typeof value === 'number' ? Number(value.toPrecision(digits)) : value;
      source ??= made().then((found) => `export default ${JSON.stringify(found, short)};\n`);
      return source;
    },
  };
}
