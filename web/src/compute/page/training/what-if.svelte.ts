// The client of two trainings side by side.
import { Run } from './run.svelte';

export const whatIf = new Run('whatIf');
