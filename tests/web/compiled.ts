// A browser that keeps what it has compiled of the page's scripts from one test to the next. Chromium keeps that in a
// profile. The contexts that Playwright makes have none, so that in them every visit compiles all scripts anew.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, BrowserType, LaunchOptions } from '@playwright/test';

/** What is behind the objects that tests have: there, and so, in the version that the lock names. */
interface Inner {
  readonly _connection: { toImpl(outer: unknown): unknown };
}

interface InnerContext {
  clearCache(): Promise<void>;
  close(progress: unknown, options: { readonly reason: string }): Promise<void>;
  resetForReuse(progress: unknown, options: BrowserContextOptions): Promise<void>;
}

interface InnerBrowser {
  /** The context that the last test had, and what its options were. */
  _contextForReuse?: { readonly context: InnerContext; readonly hash: string };
  newContextForReuse(progress: unknown, options: BrowserContextOptions): Promise<InnerContext>;
}

/** Whether the profile's context can be had with these options; viewport, colours and the like can be set at any time. */
const suitsProfile = (options: BrowserContextOptions) =>
  options.javaScriptEnabled !== false &&
  options.serviceWorkers === 'block' &&
  !options.hasTouch &&
  !options.isMobile &&
  !options.deviceScaleFactor &&
  !options.permissions;

/** Has `use` work with a browser whose tests share the context of its profile, where that can be had as they ask for it. */
export async function withProfile(
  chromium: BrowserType,
  options: LaunchOptions & BrowserContextOptions,
  use: (browser: Browser) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'tril-profile-'));
  const outer = await chromium.launchPersistentContext(folder, options);
  const { _connection: connection } = outer as unknown as Inner;
  const context = connection.toImpl(outer) as InnerContext;
  const browser = outer.browser()!;
  const inner = connection.toImpl(browser) as InnerBrowser;
  const profile = { context, hash: 'profile' };
  const newContextForReuse = inner.newContextForReuse.bind(inner);
  inner.newContextForReuse = async (progress, asked) => {
    await context.resetForReuse(progress, asked); // in any case: what its page plays would go on beside other tests
    const last = inner._contextForReuse;
    const isBeside = last !== undefined && last !== profile;
    if (suitsProfile(asked)) {
      if (isBeside) await last.context.close(progress, { reason: 'another test' });
      inner._contextForReuse = profile;
    } else {
      if (!isBeside) inner._contextForReuse = undefined;
      await newContextForReuse(progress, asked);
    }
    const reused = inner._contextForReuse!.context;
    // Of a context that tests have one after another Playwright clears the storage, and the cache of files as well: a
    // hundred of them would be fetched anew for every test. Their names change with what is in them.
    reused.clearCache = () => Promise.resolve();
    return reused;
  };
  try {
    await use(browser);
  } finally {
    await browser.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}
