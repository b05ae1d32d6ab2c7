// The Worker that computes everything except trainings.
import { loadTril, type LessonsTril } from 'tril/lessons';
import { work } from './lessons';
import { serve } from './serve';

/** More threads gain little, and the visitor's other programs need some, too. */
const mostThreads = 8;

/**
 * Loads the module with threads if memory can be shared, which the page's own service worker makes possible; else the
 * one without.
 */
async function load(): Promise<LessonsTril> {
  const threads = Math.min(mostThreads, navigator.hardwareConcurrency || 1);
  if (threads === 1 || !self.crossOriginIsolated || self.name === 'alone') return loadTril();
  // A phone may not have the memory; without a network perhaps only the module of the last visit is there.
  return loadTril({ threads }).catch(() => loadTril());
}

serve(load, work);
