import type { Component, ComponentProps } from 'svelte';
import Later from './Later.svelte';

type Load = ComponentProps<typeof Later>['load'];

/** Components of a chapter's `later.ts`, which lists the imports of each, so that no page has to; `room` is Later's. */
export const laterOf =
  <All>(all: () => Promise<All>) =>
  (one: (all: All) => Load, room = 0): Component =>
  (page) =>
    Later(page, { load: async () => one(await all())(), room });
