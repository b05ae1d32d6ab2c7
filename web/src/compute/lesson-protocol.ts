// What the chapters ask of their Worker: every chapter's questions and sessions are in lessons/. Only plain data crosses.
import type { AttendLessons } from './lessons/attend';
import type { BlockLessons } from './lessons/block';
import type { CallsLessons } from './lessons/calls';
import type { GraphLessons } from './lessons/graph';
import type { HeadsLessons } from './lessons/heads';
import type { CheckLessons, CheckSessions } from './lessons/check';
import type { CheckCostLessons } from './lessons/check-cost';
import type { LearnLessons } from './lessons/learn';
import type { LongerLessons } from './lessons/longer';
import type { MaskLessons } from './lessons/mask';
import type { MultiplyLessons } from './lessons/multiply';
import type { RatesLessons } from './lessons/rates';
import type { MotionLessons } from './lessons/motion';
import type { SoftmaxLessons } from './lessons/softmax';
import type { TowersLessons } from './lessons/towers';
import type { WriteLessons } from './lessons/write';
import type { MeasureSessions } from './measure-protocol';

/** Every kind of question with its answer; a chapter's own, as { kind: { ask, answer } }. */
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

/** Every kind of session, as { kind: { ask, said, told, answer } }. */
export interface Sessions extends CheckSessions, MeasureSessions {}

export type SessionKind = keyof Sessions;
