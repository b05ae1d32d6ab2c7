// The chapters' queries to their Worker; each chapter's questions and sessions are in lessons/. Only plain data
// crosses.
import type { AttendLessons } from '../worker/lessons/attend';
import type { BlockLessons } from '../worker/lessons/block';
import type { CallsLessons } from '../worker/lessons/calls';
import type { GraphLessons } from '../worker/lessons/graph';
import type { HeadsLessons } from '../worker/lessons/heads';
import type { CheckLessons, CheckSessions } from '../worker/lessons/check';
import type { CheckCostLessons } from '../worker/lessons/check-cost';
import type { LearnLessons } from '../worker/lessons/learn';
import type { LongerLessons } from '../worker/lessons/longer';
import type { MaskLessons } from '../worker/lessons/mask';
import type { MultiplyLessons } from '../worker/lessons/multiply';
import type { RatesLessons } from '../worker/lessons/rates';
import type { MotionLessons } from '../worker/lessons/motion';
import type { SoftmaxLessons } from '../worker/lessons/softmax';
import type { TowersLessons } from '../worker/lessons/towers';
import type { WriteLessons } from '../worker/lessons/write';
import type { MeasureSessions } from './measure-protocol';

/** Every kind of question with its answer; a chapter's own are { kind: { ask, answer } }. */
export interface Lessons
  extends
    MultiplyLessons,
    GraphLessons,
    AttendLessons,
    MotionLessons,
    SoftmaxLessons,
    BlockLessons,
    MaskLessons,
    HeadsLessons,
    LearnLessons,
    LongerLessons,
    CheckLessons,
    CheckCostLessons,
    RatesLessons,
    CallsLessons,
    TowersLessons,
    WriteLessons {}

export type Kind = keyof Lessons;

/** Every kind of session, as { kind: { ask, part, told, answer } }. */
export interface Sessions extends CheckSessions, MeasureSessions {}

export type SessionKind = keyof Sessions;
