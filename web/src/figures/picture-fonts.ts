// The page's fonts, as a style inside a drawing: an image cannot use the fonts of the page.
import type { Font } from './traced';

export interface Face {
  readonly family: string;
  /** Minimum and maximum weight of the face. */
  readonly weights: readonly [least: number, most: number];
  readonly slant: string;
  readonly source: string;
}

/** Downloaded files: many drawings use the same. */
const files = new Map<string, string>();

async function inline(url: string): Promise<string> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  const file = await response.blob();
  const reader = new FileReader();
  const loaded = new Promise((done, failed) => {
    reader.onload = done;
    reader.onerror = failed;
  });
  reader.readAsDataURL(file);
  await loaded;
  return reader.result as string;
}

export function facesOfPage(): Face[] {
  return [...document.styleSheets].flatMap((sheet) =>
    [...sheet.cssRules].flatMap((rule) => {
      if (!(rule instanceof CSSFontFaceRule)) return [];
      const value = (name: string) => rule.style.getPropertyValue(name);
      const source = /url\(["']?([^"')]+)/u.exec(value('src'))?.[1];
      if (!source) return [];
      const [least, most = least] = (value('font-weight') || '400').split(' ').map(weightOf);
      return {
        family: plainName(value('font-family')),
        weights: [least, most] as const,
        slant: value('font-style') || 'normal',
        source: new URL(source, sheet.href ?? document.baseURI).href,
      };
    }),
  );
}

const plainName = (family: string) => family.trim().replace(/["']/gu, '');
const weightOf = (name: string) =>
  name === 'normal' ? 400 : name === 'bold' ? 700 : parseFloat(name);

/** Distance of a face from the requested one: another slant is worse than any weight. */
const distance = ({ weights: [least, most], slant }: Face, weight: number, style: string) =>
  Math.max(least - weight, 0, weight - most) + (slant === style ? 0 : 1000);

/** A style with the page's faces that texts in these fonts use. */
export async function styleOf(fonts: readonly Font[], page: readonly Face[]): Promise<string> {
  const used = new Set<Face>();
  for (const { family, style, weight } of fonts) {
    for (const name of family.split(',').map(plainName)) {
      const far = (face: Face) => distance(face, parseFloat(weight), style);
      const faces = page.filter((face) => face.family === name);
      const [nearest] = faces.sort((one, other) => far(one) - far(other));
      if (nearest) used.add(nearest);
    }
  }
  const rules = [...used].map(async ({ family, weights, slant, source }) => {
    const file = files.get(source) ?? (await inline(source));
    files.set(source, file);
    return `@font-face{font-family:"${family}";font-weight:${weights.join(' ')};font-style:${slant};src:url(${file})}`;
  });
  return `<style>${(await Promise.all(rules)).join('')}</style>`;
}
