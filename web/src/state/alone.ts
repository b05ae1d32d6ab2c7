// One figure by itself, for other people's pages: "/embed/CHAPTER/FIGURE/".
import { page } from '$app/state';

/** The section whose figure is all that this document shows; undefined on a page of Tril's own. */
export const figureAlone = (): string | undefined => page.params.figure;
