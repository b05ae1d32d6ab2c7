// Writes a bitmap as PNG, which takes longer than the page may stand still.
addEventListener('message', ({ data: bitmap }: MessageEvent<ImageBitmap>) => {
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
  canvas.getContext('bitmaprenderer')!.transferFromImageBitmap(bitmap);
  void canvas.convertToBlob({ type: 'image/png' }).then(postMessage);
});
