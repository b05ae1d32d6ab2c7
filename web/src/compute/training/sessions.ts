// What the Worker that trains can be asked for.
import type { Tril } from 'tril';
import type { Held, Session } from '../answers';
import { born } from './born';
import { own } from './own';
import type { TrainingSessions } from './protocol';
import { whatIf } from './what-if';

const trainings: Held<TrainingSessions> = { born, own, whatIf };

export const train = (
  tril: Tril,
  kind: string,
  ask: unknown,
  session: Session<unknown, unknown>,
): unknown => trainings[kind as keyof TrainingSessions](tril, ask as never, session as never);
