// Sessions of timing at large sizes: they keep the Worker busy, and report their results.
import type { Later } from '../answers';
import { compete } from '../benchmark';
import { attention, products } from '../contests';
import type { MeasureSessions } from '../../shared/measure-protocol';

export const measureLater: Later<MeasureSessions> = {
  products: (tril, plan, session) => compete(tril, plan, products, session),
  attention: (tril, plan, session) => compete(tril, plan, attention(plan.causal ?? false), session),
};
