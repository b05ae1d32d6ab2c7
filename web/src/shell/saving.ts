/** Whether the visitor has asked the browser to be sparing, where browsers say so. */
export function savesData(): boolean {
  const { connection } = navigator as { connection?: { readonly saveData?: boolean } };
  return connection?.saveData ?? false;
}
