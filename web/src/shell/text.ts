// Every word of the shell.
import type { FormulaPart } from '../state/attend-steps';

export const shellText = {
  welcome: {
    what: 'Attention you can open up.',
    how: 'Type your own words, point at any number: your machine computes all of them, and says why.',
  },
  map: 'The formula is the map',
  parts: {
    softmax: 'softmax: scores become weights',
    q: 'Q: the queries',
    k: 'K: the keys',
    product: 'Q K transposed: the scores',
    scale: 'divided by the square root of d',
    mask: 'plus M: the mask',
    v: 'V: the values',
  } satisfies Record<FormulaPart, string>,
  chapters: 'Chapters',
  skip: 'Skip to the chapter',
  around: 'Before and after',
  before: 'Before',
  after: 'Next',
  forBuilders: 'All of this runs in your own code, too:',
  reference: 'every call, with examples',
  trouble: 'This could not be computed.',
  slow: 'This takes long.',
  stop: 'Stop',
  stopped: 'Stopped: what is not there yet was not computed.',
  tryAgain: 'Try again',
  brokenLink: 'Part of this link could not be read and is left at its default:',
  dismiss: 'Dismiss',
  undo: 'Undo',
  computed: (variant: string, time?: string | 0) =>
    `Computed here, on your machine, by tril (${variant})${time ? ` in ${time}` : ''}.`,
  notLoaded: 'This chapter could not be loaded. Reload the page to try again.',
  theme: { light: 'Light theme', dark: 'Dark theme' },
} as const;
