// Targets of the formula's symbols, in all chapters except "Attend", which is about the complete formula.
import type { FormulaPart } from '../state/attend-steps';
import { chapterHref } from './links';

const places: Record<FormulaPart, readonly [chapter: string, hash?: string]> = {
  q: ['attend', '#?step=q'],
  k: ['attend', '#?step=k'],
  product: ['multiply'],
  scale: ['attend', '#?step=scaled'],
  mask: ['mask'],
  softmax: ['attend', '#?step=weights'],
  v: ['attend', '#?step=output'],
};

export const placeOf = (part: FormulaPart): string => chapterHref(...places[part]);
