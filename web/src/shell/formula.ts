// Where the symbols of the formula lead from chapters other than the one about the whole of it.
import type { FormulaPart } from '../state/attend-steps';

const places: Record<FormulaPart, string> = {
  q: '#attend?step=q',
  k: '#attend?step=k',
  product: '#multiply',
  scale: '#attend?step=scaled',
  mask: '#mask',
  softmax: '#average',
  v: '#attend?step=output',
};

export function placeOf(part: FormulaPart): string {
  return places[part];
}
