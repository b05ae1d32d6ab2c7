// Every change of the browser's history goes through here, since browsers limit the rate. Safari throws beyond 100 in
// 30 s; Chromium and Firefox ignore changes beyond 200 in 10 s.

const most = 80; // leaves some to links
const during = 30_000;
let times: number[] = [];

/** Whether an optional change may be written now. */
export function mayWrite(): boolean {
  const now = performance.now();
  times = times.filter((time) => now - time < during);
  return times.length < most;
}

/** Changes the current entry, or adds one; false if the browser refuses. */
export function writeEntry(
  entry: object,
  { push, href }: { push: boolean; href?: string },
): boolean {
  times.push(performance.now());
  try {
    if (push) history.pushState(entry, '', href);
    else history.replaceState(entry, '', href);
    return true;
  } catch {
    return false;
  }
}
