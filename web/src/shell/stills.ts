// What is on a page before any script has run: the very components, rendered with the core's answers while the page is
// made. Nothing in it can be used, so nothing in it can be reached by keys, and it has no name that the living page has.
// Five of them are most of a page's weight: they say no more than is seen or read.
import { browser } from '$app/environment';
import { card } from '../figures/card';
import { getAllContexts, type Snippet } from 'svelte';
import AsIs from './AsIs.svelte';

/** Pixels across a card's inside at 360, 390, 768, 1280 and 1440 pixels of window; each is shown from its width on. */
const stillWidths = [310, 340, 682, 784, 944] as const;

const server = browser ? null : await import('svelte/server');

/** Svelte leaves alone what was made with the page if what it would put there is not empty. */
const later = '<!--later-->';

/** What a figure tells programs in numbers. One that is marked `data-terse` leaves them out of what is made with the page. */
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

/** Of a figure, at every width; once where several are the same, since styles alone lay it out. */
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
