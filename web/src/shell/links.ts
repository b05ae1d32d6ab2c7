// Addresses within the site, wherever it is served.
import { resolve } from '$app/paths';

/** Of a chapter, in the state that the hash has. */
export const chapterHref = (id: string, hash = ''): string => resolve(`/${id}/` as '/') + hash;

/** Of the page that everything begins with, and of what is beside it. */
export const rootHref = (path = ''): string => resolve('/') + path;
