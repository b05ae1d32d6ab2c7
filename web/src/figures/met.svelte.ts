// What a figure does by itself where it is met for the first time: once, ever. Who comes back has seen it, and who asks for
// less motion is not moved.
import { browser } from '$app/environment';
import { lessMotion } from './less';

const place = 'tril.met';
/** Instead of names: nothing is new to this visitor. */
const everything = 'all';

let names: readonly string[] | null = null;

function known(): readonly string[] {
  try {
    names ??= (localStorage.getItem(place) ?? '').split(' ').filter(Boolean);
  } catch {
    names ??= []; // storage may be forbidden
  }
  return names;
}

/** Whether this one is met for the first time; from then on it is known. */
export function meet(name: string): boolean {
  if (!browser || lessMotion.current) return false;
  const before = known();
  if (before.includes(name) || before.includes(everything)) return false;
  names = [...before, name];
  try {
    localStorage.setItem(place, names.join(' '));
  } catch {
    // Then for this visit.
  }
  return true;
}
