// Encodes a bitmap as PNG, which takes longer than the page may be blocked. It answers with the file, or with an error
// text.
addEventListener('message', ({ data: bitmap }: MessageEvent<ImageBitmap>) => {
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
  // In a Worker, WebKitGTK never encodes a canvas with a bitmaprenderer context.
  canvas.getContext('2d')!.drawImage(bitmap, 0, 0);
  const failed = (error: unknown) => postMessage(String(error));
  canvas.convertToBlob({ type: 'image/png' }).then(postMessage, failed);
});
