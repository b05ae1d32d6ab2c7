// Writes a bitmap as PNG, which takes longer than the page may stand still. It answers with the file, or says what went
// wrong.
addEventListener('message', ({ data: bitmap }: MessageEvent<ImageBitmap>) => {
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
  // In a Worker, WebKitGTK never writes a canvas whose context is a bitmaprenderer.
  canvas.getContext('2d')!.drawImage(bitmap, 0, 0);
  const failed = (error: unknown) => postMessage(String(error));
  canvas.convertToBlob({ type: 'image/png' }).then(postMessage, failed);
});
