// Opens a head that was trained here as a model of chapter "Model", with its letters as numbers.
import { opened } from '../compute/page/opened/opened.svelte';
import { chapterHref } from '../shell/links';
import { defaults, encode } from '../state/model';
import type { Head } from './mine.svelte';
import { tokensOf } from './nonsense';

/** Opens the model, and returns its address. */
export function openInModel({ weights, config }: Head, say: string, name: string): string {
  const files = [
    new File([Uint8Array.from(weights)], 'model.safetensors'),
    new File([config], 'config.json'),
  ];
  opened.open({ files }, name);
  const text = tokensOf(say).tokens.join(' ');
  return chapterHref('model', `#?${encode({ ...defaults, text })}`);
}
