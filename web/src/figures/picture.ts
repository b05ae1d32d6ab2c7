// A figure of the page as a file: SVG that stands by itself, or a PNG made of it.
import { Tracing } from './tracing';

/** Fonts of the page that the picture uses, as a style that carries them along. */
async function fontsOf(svg: string): Promise<string> {
  const rules = [...document.styleSheets].flatMap((sheet) =>
    [...sheet.cssRules]
      .filter((rule) => rule instanceof CSSFontFaceRule)
      .map((rule) => ({ rule: rule as CSSFontFaceRule, base: sheet.href ?? document.baseURI })),
  );
  const used = rules.filter(({ rule: { style } }) =>
    svg.includes(style.getPropertyValue('font-family').replace(/["']/gu, '')),
  );
  const faces = used.map(async ({ rule: { style }, base }) => {
    const source = /url\(["']?([^"')]+)/u.exec(style.getPropertyValue('src'))?.[1];
    if (!source) return '';
    const file = await (await fetch(new URL(source, base))).blob();
    const reader = new FileReader();
    const loaded = new Promise((done) => reader.addEventListener('load', done));
    reader.readAsDataURL(file);
    await loaded;
    const [family, weight, slant] = ['font-family', 'font-weight', 'font-style'].map((name) =>
      style.getPropertyValue(name),
    );
    return `@font-face{font-family:${family};font-weight:${weight || 400};font-style:${slant || 'normal'};src:url(${reader.result as string})}`;
  });
  return `<style>${(await Promise.all(faces)).join('')}</style>`;
}

async function traced(figure: Element) {
  const tracing = new Tracing();
  await tracing.walk(figure);
  const ground = getComputedStyle(figure.closest('.card') ?? document.body).backgroundColor;
  return (fonts = '', scale = 1) =>
    tracing.finish(ground, `Tril, ${location.href}`, { fonts, scale });
}

/** The page has its turn between the steps of a picture, each of which takes as long as a task may. */
const turn = () => new Promise((later) => setTimeout(later));

export async function svgFile(figure: Element): Promise<Blob> {
  const drawn = await traced(figure);
  return new Blob([drawn()], { type: 'image/svg+xml' });
}

/** Twice as large as on the page, with the page's fonts. */
export async function pngFile(figure: Element): Promise<Blob> {
  const drawn = await traced(figure);
  const svg = drawn(await fontsOf(drawn()), 2);
  await turn();
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  await turn();
  // A bitmap is painted beside the page, where drawing on a canvas would hold it up.
  const bitmap = await createImageBitmap(image);
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
  canvas.getContext('bitmaprenderer')!.transferFromImageBitmap(bitmap);
  return canvas.convertToBlob({ type: 'image/png' });
}
