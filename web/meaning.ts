// The opening of chapter "Meaning", computed by the core while the page is built: `$meaning`, with the sizes of the
// files that it loads on request; `$meaning/senses`, the encoder's vectors of the default word.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadTril } from 'tril/training';
import type { Plugin } from 'vite';
import type { Made, MadeSenses } from './src/compute/shared/meaning/made';
import { opening, openingSenses } from './src/compute/shared/meaning/presets';
import { aboutOf, Reader } from './src/compute/worker/meaning/senses';
import { tableOf, viewOf } from './src/compute/shared/meaning/table';
import { shapeOf } from '../models/shape.mjs';
import { meaningFiles, modelFiles, shareFile, shareOfSpeeches, shippedFolder } from './shipped.js';

const name = '$meaning';
const ofSenses = `${name}/senses`;
/** The digits that identify the core's float32 numbers. */
const digits = 9;

/** The number of layers in a model's settings; null without settings. */
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

/** The senses, or null without the encoder or the speeches. */
async function madeSenses(): Promise<MadeSenses | null> {
  const share = shareOfSpeeches();
  const paths = modelFiles.map((file) => [file, `encoder/${file}`] as const);
  if (!share || !paths.every(([, path]) => meaningFiles.includes(path))) return null;
  const tril = await loadTril();
  const model = await tril.loadModel(
    Object.fromEntries(
      paths.map(([file, path]) => [file, new Uint8Array(readFileSync(join(shippedFolder, path)))]),
    ),
  );
  const reader = new Reader(tril, model, new TextDecoder().decode(share.bytes));
  const view = await reader.view(openingSenses);
  const about = aboutOf(model);
  model.dispose();
  // The duration describes the building machine, not the visitor's. Only the exported program needs the tokens of each
  // sentence, and it asks for the encoder anyway.
  return { view: { ...view, reads: [], milliseconds: 0 }, about };
}

export function meaningOpening(): Plugin {
  const makers: Record<string, () => Promise<object | null>> = {
    [name]: made,
    [ofSenses]: madeSenses,
  };
  const sources: Record<string, Promise<string>> = {};
  return {
    name: 'meaning',
    resolveId: (id) => (id in makers ? `\0${id}` : null),
    load(id) {
      const own = id.slice(1);
      if (!id.startsWith('\0') || !(own in makers)) return null;
      for (const file of meaningFiles) this.addWatchFile(join(shippedFolder, file));
      const short = (_: string, value: unknown) =>
        typeof value === 'number' ? Number(value.toPrecision(digits)) : value;
      return (sources[own] ??= makers[own]().then(
        (found) => `export default ${JSON.stringify(found, short)};\n`,
      ));
    },
  };
}
