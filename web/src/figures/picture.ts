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

function drawn(figure: Element, fonts = '') {
  const tracing = new Tracing();
  tracing.walk(figure);
  const ground = getComputedStyle(figure.closest('.card') ?? document.body).backgroundColor;
  return tracing.finish(ground, `Tril, ${location.href}`, fonts);
}

export function svgFile(figure: Element): Blob {
  return new Blob([drawn(figure).svg], { type: 'image/svg+xml' });
}

/** Twice as large as on the page, with the page's fonts. */
export async function pngFile(figure: Element): Promise<Blob> {
  const scale = 2;
  const { svg, width, height } = drawn(figure, await fontsOf(drawn(figure).svg));
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [scale * width, scale * height];
  canvas.getContext('2d')!.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done, fail) =>
    canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error('no picture'))), 'image/png'),
  );
}
