// The answers of a loaded model, kind by kind; those for later figures are loaded on demand.
import type { OpenedRequests, RequestKind } from '../../shared/opened/protocol';
import { nextOf } from './next';
import { piecesOf, readingOf, tokensOf } from './reading';
import type { Opened, Work } from './work';

type Handlers = {
  readonly [K in RequestKind]: (
    opened: Opened,
    ask: OpenedRequests[K]['ask'],
    work: Work<OpenedRequests[K] extends { part: infer Part } ? Part : never>,
  ) => OpenedRequests[K]['answer'] | Promise<OpenedRequests[K]['answer']>;
};

export const requests: Handlers = {
  tokens: (opened, { text }) => piecesOf(opened, tokensOf(opened, { text, then: [] })),
  read: readingOf,
  next: nextOf,
  cacheCells: async (...[model, ask]) => (await import('./cache')).cacheCells(model, ask),
  cacheCounts: async (...[model, ask]) => (await import('./cache')).cacheCounts(model, ask),
  cacheTimes: async (...given) => (await import('./cache-times')).cacheTimes(...given),
  away: async (...[model, ask]) => (await import('./away')).away(model, ask),
  ranking: async (...given) => (await import('./away')).ranking(...given),
  patch: async (...given) => (await import('./patch')).patch(...given),
  further: async (...given) => (await import('./further')).further(...given),
  adapter: async (...[model, ask]) => (await import('./further')).adapter(model, ask),
  furtherFiles: async (model) => (await import('./further')).furtherFiles(model),
  patched: async (...[model, ask]) => (await import('./patch')).patched(model, ask),
};
