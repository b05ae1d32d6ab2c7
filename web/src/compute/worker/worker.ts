// The Worker that computes all but trainings.
import { loadTril, type LessonsTril } from 'tril/lessons';
import { work } from './lessons';
import { serve } from './serve';

/** More gain little, and other programs of the visitor want some, too. */
const mostThreads = 8;

/** With threads where memory can be shared, which the page's own service worker makes possible; else without. */
async function load(): Promise<LessonsTril> {
  const threads = Math.min(mostThreads, navigator.hardwareConcurrency || 1);
  if (threads === 1 || !self.crossOriginIsolated || self.name === 'alone') return loadTril();
  // A phone may not have the memory; without a network only that module may be there which was used before.
  return loadTril({ threads }).catch(() => loadTril());
}

serve(load, work);
