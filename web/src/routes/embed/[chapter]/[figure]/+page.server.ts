// What there is to be prerendered; here, so that no page carries it.
import sections from '$texts/sections';

export const entries = () =>
  Object.entries(sections).flatMap(([chapter, figures]) =>
    figures.map((figure) => ({ chapter, figure })),
  );
