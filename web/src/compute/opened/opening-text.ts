// What chapter "Model" opens with.
import type { Sampling } from './protocol';

export const openingText = 'We must work for peace and';
export const openingSampling: Sampling = { temperature: 0.8, topK: 12, topP: 0.9, minP: 0 };
export const openingSeed = 1;
