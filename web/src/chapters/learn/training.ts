// The training that the figure and its question share.
import { getContext, setContext } from 'svelte';
import { Training } from '../../compute/training/born.svelte';

const key = Symbol('training');

export const provideTraining = (): Training => setContext(key, new Training());
export const useTraining = (): Training => getContext<Training>(key);
