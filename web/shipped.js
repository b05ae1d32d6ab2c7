// What of ../models the page ships beside itself: a visitor who asks for it loads it, nobody else does.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { share, years } from '../models/share.mjs';

export const shippedFolder = fileURLToPath(new URL('../models/', import.meta.url));

/** What a model of a chapter is made of. */
export const modelFiles = ['config.json', 'tokenizer.json', 'model.safetensors'];

/** Of chapter "Meaning": vectors of words, and an encoder. */
export const meaningFiles = [
  'vectors/vectors.safetensors',
  ...modelFiles.map((name) => `encoder/${name}`),
].filter((path) => existsSync(join(shippedFolder, path)));

/** In models/ of the page, as in that folder. */
export const shippedFiles = [...modelFiles.map((name) => `gpt/${name}`), ...meaningFiles];

/** Beside them: texts, which are fetched when the page is built. */
export const shareFile = 'speeches.txt';

/** The share of the speeches; null, said once, where they cannot be fetched. */
export function shareOfSpeeches() {
  try {
    return { bytes: new TextEncoder().encode(share()), years };
  } catch (error) {
    console.warn(`The page is built without ${shareFile}: ${error.message}`);
    return null;
  }
}
