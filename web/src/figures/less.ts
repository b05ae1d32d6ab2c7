// Whether less motion is asked for: what plays then shows ends only. What is scrubbed by hand moves all the same.
import { MediaQuery } from 'svelte/reactivity';

export const lessMotion = new MediaQuery('(prefers-reduced-motion: reduce)');
