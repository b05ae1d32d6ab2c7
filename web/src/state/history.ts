// Every change of the browser's history goes through here: browsers refuse too many in a while. Safari throws beyond 100
// in 30 s, Chromium and Firefox leave out what is beyond 200 in 10 s.

const most = 80; // leaves some to links
const during = 30_000;
let times: number[] = [];

/** Whether a change that could wait need not. */
export function mayWrite(): boolean {
  const now = performance.now();
  times = times.filter((time) => now - time < during);
  return times.length < most;
}

/** Changes the entry that is open, or makes one; false where the browser refuses. */
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
