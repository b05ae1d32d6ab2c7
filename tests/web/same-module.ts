// Loads the package in Node with the module that a page has chosen: both compute the same to the bit.
import type { Page } from '@playwright/test';
import { setFlagsFromString } from 'node:v8';
import { detectFeatures } from 'tril';
import { loadTril, type TrainingTril } from 'tril/training';

/** `variant` is the page's name of it. Threads change no bit, so one suffices. */
export async function sameModule(variant = ''): Promise<TrainingTril> {
  const single = variant.replace('-threads', '');
  if (single !== 'simd' && single !== 'relaxed') throw new Error(`the page says ${variant}`);
  // Node 20 hides it behind a flag.
  const isHidden = single === 'relaxed' && !detectFeatures().relaxedSimd;
  if (isHidden) setFlagsFromString('--experimental-wasm-relaxed-simd');
  return loadTril({ variant: single });
}

/** The variant that the page has chosen. */
export async function variantOf(page: Page): Promise<string> {
  return (await page.locator('[data-variant]').first().getAttribute('data-variant')) ?? '';
}
