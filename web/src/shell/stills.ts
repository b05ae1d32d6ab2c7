// The stills of a page before any script has run: its own components, rendered during prerendering with the core's
// answers. A still cannot be operated, so keys cannot reach it, and it has no id of the live page. Five stills make up
// most of a page's weight, so they contain only what is visible or read aloud.
import { browser } from '$app/environment';
import { card } from '../figures/card';
import { getAllContexts, type Snippet } from 'svelte';
import AsIs from './AsIs.svelte';

/**
 * Inner widths of a card in pixels for windows of 360, 390, 768, 1280 and 1440 pixels; each still is shown from its
 * width on.
 */
const stillWidths = [310, 340, 682, 784, 944] as const;

const server = browser ? null : await import('svelte/server');

/** Svelte keeps the prerendered HTML if its replacement is not empty. */
const later = '<!--later-->';

/** Numeric data attributes of a figure for programs. A figure with `data-terse` omits them from its still. */
const told = / data-(?:terse(?:="")?|[\w-]+="-?[\d.]+(?:e[-+]?\d+)?")(?=[ >])/g;

function still(html: string): string {
  return (html.includes(' data-terse') ? html.replace(told, '') : html)
    .replace(/<!--.*?-->/gs, '')
    .replace(
      / (?:id|for|tabindex|aria-(?:activedescendant|controls|rowcount|colcount))="[^"]*"/g,
      '',
    )
    .replace(/ {2,}/g, ' ')
    .replace(/ data-(?:row|col)="\d+"/g, '')
    .replace(/ title="[^"]*"/g, '')
    .replace(/(--(?:side|strength):\d\.\d\d)\d/g, '$1')
    .replace(/<(button|input|textarea|select|summary)\b/g, '<$1 inert');
}

export function stillOf(children: Snippet): string {
  if (!server) return later;
  const { body } = server.render(AsIs, { props: { children }, context: getAllContexts() });
  return still(body);
}

/** The stills of a figure, one for each width; equal ones are merged, since styles alone lay them out. */
export function stillsOf(children: Snippet): string {
  if (!server) return later;
  const all = new Map<string, string[]>();
  for (const width of stillWidths) {
    card.width = width;
    const html = stillOf(children);
    all.set(html, [...(all.get(html) ?? []), `w${width}`]);
  }
  card.width = 0;
  const stills = [...all].map(
    ([html, widths]) => `<div class="still ${widths.join(' ')}">${html}</div>`,
  );
  return `${stills.join('')}<i class="whole"></i>`;
}
