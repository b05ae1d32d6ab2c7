// Sessions of timing at large sizes: they keep the Worker busy, and say what they find.
import type { Held } from '../answers';
import { compete } from '../benchmark';
import { attention, peak, products } from '../contests';
import type { MeasureSessions } from '../measure-protocol';

export const measureSessions: Held<MeasureSessions> = {
  async products(tril, plan, session) {
    session.say({ kind: 'peak', gigaflops: await peak(tril, session) });
    await compete(tril, plan, products, session);
  },

  attention: (tril, plan, session) => compete(tril, plan, attention(plan.causal ?? false), session),
};
