// The parts of ../models that the page ships next to itself: only visitors who ask for them load them.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { share, years } from '../models/share.mjs';

export const shippedFolder = fileURLToPath(new URL('../models/', import.meta.url));

/** The files of a model. */
export const modelFiles = ['config.json', 'tokenizer.json', 'model.safetensors'];

/** The files of chapter "Meaning": vectors of words, and an encoder. */
export const meaningFiles = [
  'vectors/vectors.safetensors',
  ...modelFiles.map((name) => `encoder/${name}`),
].filter((path) => existsSync(join(shippedFolder, path)));

/** The files in models/ of the page, as in that folder. */
export const shippedFiles = [...modelFiles.map((name) => `gpt/${name}`), ...meaningFiles];

/** A file of texts next to them, which are fetched when the page is built. */
export const shareFile = 'speeches.txt';

/** The chosen part of the speeches; null, with a warning, if they cannot be fetched. */
export function shareOfSpeeches() {
  try {
    return { bytes: new TextEncoder().encode(share()), years };
  } catch (error) {
    console.warn(`The page is built without ${shareFile}: ${error.message}`);
    return null;
  }
}
