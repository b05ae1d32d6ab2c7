// The page says its language, and which way it is read.
import type { Handle } from '@sveltejs/kit';
import { direction, language } from '$texts';

const said = `<html lang="${language}" dir="${direction}"`;

export const handle: Handle = ({ event, resolve }) =>
  resolve(event, {
    transformPageChunk: ({ html }) => html.replace('<html lang="en"', said),
  });
