/** Saves a file for the visitor, under a name. */
export function saveFile(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Saves the visible part of a figure as a picture; false if that failed. */
export async function savePicture(
  figure: Element,
  name: string,
  kind: 'png' | 'svg',
): Promise<boolean> {
  try {
    const { pngFile, svgFile } = await import('./picture');
    saveFile(await (kind === 'png' ? pngFile : svgFile)(figure), `tril-${name}.${kind}`);
    return true;
  } catch {
    return false;
  }
}
