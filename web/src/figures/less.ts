// Whether reduced motion is preferred: animations then show only their ends. Sliders moved by hand work as always.
import { MediaQuery } from 'svelte/reactivity';

export const lessMotion = new MediaQuery('(prefers-reduced-motion: reduce)');
