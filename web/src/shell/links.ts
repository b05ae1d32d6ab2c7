// Addresses within the site, wherever it is served.
import { resolve } from '$app/paths';

/** Address of a chapter, in the state of the hash. */
export const chapterHref = (id: string, hash = ''): string => resolve(`/${id}/` as '/') + hash;

/** Address of the home page, and of paths beside it. */
export const rootHref = (path = ''): string => resolve('/') + path;
