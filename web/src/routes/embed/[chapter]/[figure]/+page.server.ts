// The list of pages to prerender; here, so that no page contains it.
import sections from '$texts/sections';

export const entries = () =>
  Object.entries(sections).flatMap(([chapter, figures]) =>
    figures.map((figure) => ({ chapter, figure })),
  );
