// The shipped model's results for the default sentence of its chapter, computed by the core while the page is built:
// `$opening`, with the sizes of its files; `$opening/weights`, all attention weights; `$opening/asked`, the answer to
// its question; `$opening/cache`, `$opening/away` and `$opening/patch`, the results of the lower figures. Nobody has to
// load a model to see them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadTril } from 'tril/training';
import type { Plugin } from 'vite';
import { firstFurther, type FirstFurther } from './src/compute/build/opened/first';
import { nextOf } from './src/compute/worker/opened/next';
import {
  openingSampling,
  openingSeed,
  openingText,
} from './src/compute/shared/opened/opening-text';
import { packed } from './src/compute/shared/opened/packed';
import type { Opening, Reading } from './src/compute/shared/opened/protocol';
import { readingOf } from './src/compute/worker/opened/reading';
import { placesOf, shapeOf } from './src/compute/worker/opened/shape';
import { modelFiles, shippedFolder } from './shipped.js';

const name = '$opening';
/** Some of its heads, for the list of chapters. */
const small = `${name}/heads`;
/** The weights of all its heads, for the figure that shows them. */
const whole = `${name}/weights`;
const folder = join(shippedFolder, 'gpt');

interface Made {
  readonly opening: Opening & { readonly reading: Reading };
  readonly further: FirstFurther;
}

async function made(): Promise<Made> {
  const files = Object.fromEntries(
    modelFiles.map((file) => [file, new Uint8Array(readFileSync(join(folder, file)))]),
  );
  const tril = await loadTril();
  const model = await tril.loadModel(files);
  const shape = shapeOf(model.config);
  const sizes = modelFiles.map((file) => [file, files[file].length] as const);
  const about = {
    ...{ shape, tokenizer: true, places: placesOf(shape) },
    ...{ parameters: model.parameters.count, memory: model.parameters.bytes },
    bytes: sizes.reduce((sum, [, size]) => sum + size, 0),
  };
  const opened = { tril, model, shape, tokenizer: true };
  const ask = { text: openingText, then: [] };
  const reading = readingOf(opened, ask);
  const next = await nextOf(opened, { ...ask, sampling: openingSampling, seed: openingSeed });
  const further = await firstFurther(opened, ask);
  model.dispose();
  // The duration describes the building machine, not the visitor's.
  const opening = {
    about,
    sizes: Object.fromEntries(sizes),
    reading: { ...reading, milliseconds: 0 },
    next,
  };
  return { opening, further };
}

/** The digits that identify the core's float32 numbers. Counts keep all their digits. */
const digits = 9;

const written = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'number' && !Number.isInteger(each) ? Number(each.toPrecision(digits)) : each,
  );

/** Rows of weights without masked ones. */
function weightsOf({ reading: { tokens, weights } }: Made['opening']): number[][] {
  const size = tokens.length;
  return weights.map((all) =>
    Array.from(all).filter((_, i) => i % size <= Math.floor(i / size) % size),
  );
}

const picturesOf = ({ reading: { tokens, weights } }: Made['opening'], count = 4): string => {
  const square = tokens.length ** 2;
  const heads = Array.from({ length: count }, (_, head) =>
    [...weights.at(-1)!.subarray(head * square, (head + 1) * square)].map((value) =>
      Number(value.toPrecision(3)),
    ),
  );
  return JSON.stringify({ tokens: tokens.length, heads: heads.filter(({ length }) => length > 0) });
};

export function opening(): Plugin {
  let found: Promise<Made> | undefined;
  const texts: Record<string, (of: Made) => string> = {
    [name]: (of) => written(packed(of.opening)),
    [whole]: (of) => written(weightsOf(of.opening)),
    [small]: (of) => picturesOf(of.opening),
    [`${name}/asked`]: ({ further }) => written(further.asked),
    [`${name}/cache`]: ({ further }) => written(further.cache),
    [`${name}/away`]: ({ further }) => written(further.away),
    [`${name}/patch`]: ({ further }) => written(further.patch),
  };
  return {
    name: 'opening',
    resolveId: (id) => (id in texts ? `\0${id}` : null),
    async load(id) {
      const text = id.startsWith('\0') ? texts[id.slice(1)] : undefined;
      if (!text) return null;
      for (const file of modelFiles) this.addWatchFile(join(folder, file));
      found ??= made();
      return `export default ${text(await found)};\n`;
    },
  };
}
