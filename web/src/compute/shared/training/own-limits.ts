// Limits of the text, and the duration of its training.

/** Minimum number of letters of a text: its last tenth must fill a context. */
export const least = 1000;
export const most = 20_000;
/** Number of steps, after which the training may continue for as many more. */
export const steps = 600;
/** Steps between two points of the curves; samples are four times as far apart. */
export const every = 10;
/** Number of letters of a sample. */
export const sampled = 192;
