// What a text may be, and how long it is learned.

/** Letters of a text, at least: its last tenth must fill a context. */
export const least = 1000;
export const most = 20_000;
/** After so many it is done, and may go on for as many more. */
export const steps = 600;
/** Steps from one point of the curves to the next; four times as many from one sample to the next. */
export const every = 10;
/** Letters of a sample. */
export const sampled = 192;
