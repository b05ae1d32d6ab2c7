// A figure of the page as a file.
import { canvasOf } from './picture-canvas';
import { svgOf } from './picture-svg';
import { Tracing } from './tracing';

const traced = (figure: Element) =>
  new Tracing().of(
    figure,
    getComputedStyle(figure.closest('.card') ?? document.body).backgroundColor,
  );

export async function svgFile(figure: Element): Promise<Blob> {
  // The origin without the part after "#": a picture is passed on, and that part contains the visitor's text.
  const { origin, pathname } = location;
  const svg = await svgOf(await traced(figure), { about: `Tril, ${origin}${pathname}` });
  return new Blob([svg], { type: 'image/svg+xml' });
}

/** Encodes PNG in a separate Worker. */
async function pngOf(bitmap: ImageBitmap): Promise<Blob> {
  const worker = new Worker(new URL('./png-worker.ts', import.meta.url), { type: 'module' });
  try {
    return await new Promise<Blob>((done, failed) => {
      worker.onmessage = ({ data }: MessageEvent<Blob | string>) =>
        typeof data === 'string' ? failed(new Error(data)) : done(data);
      worker.onerror = worker.onmessageerror = failed;
      worker.postMessage(bitmap, [bitmap]);
    });
  } finally {
    worker.terminate();
  }
}

/** Twice the size on the page, with the page's fonts. */
export async function pngFile(figure: Element): Promise<Blob> {
  const canvas = await canvasOf(await traced(figure), 2);
  return pngOf(canvas.transferToImageBitmap());
}
