// WebKitGTK by WebDriver, https://www.w3.org/TR/webdriver2/, on a virtual screen: as much of it as a smoke test needs.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { findWebKit } from '../../wasm/toolchain/system.mjs';
import type { Framed } from './foreign.ts';

const keys = { ArrowDown: '\uE015', ArrowRight: '\uE014', Tab: '\uE004', x: 'x' } as const;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, 'localhost');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Starts a virtual screen, and returns its name, such as ":99". */
async function screen(processes: ChildProcess[]): Promise<string> {
  const args = ['-displayfd', '3', '-screen', '0', '1280x1024x24', '-nolisten', 'tcp'];
  const server = spawn('Xvfb', args, { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
  processes.push(server);
  const [number] = (await once(server.stdio[3]!, 'data')) as [Buffer];
  return `:${number.toString().trim()}`;
}

export class WebKit implements Framed {
  readonly #processes: ChildProcess[] = [];
  #driver = '';
  #session = '';

  async start(): Promise<void> {
    const env = { ...process.env, DISPLAY: await screen(this.#processes), GDK_BACKEND: 'x11' };
    const port = await freePort();
    const driver = spawn(findWebKit()!, [`--port=${port}`], { env, stdio: 'ignore' });
    this.#processes.push(driver);
    this.#driver = `http://localhost:${port}`;
    const capabilities = { alwaysMatch: { browserName: 'MiniBrowser' } };
    for (let patience = 600; this.#session === ''; --patience) {
      try {
        const { sessionId } = await this.#ask<{ sessionId: string }>('POST', '/session', {
          capabilities,
        });
        this.#session = `/session/${sessionId}`;
      } catch (error) {
        // The driver listens a moment after its start.
        if (patience === 0 || !(error instanceof TypeError)) throw error;
        await new Promise((later) => setTimeout(later, 100));
      }
    }
    await this.#ask('POST', `${this.#session}/window/rect`, { width: 1280, height: 1000 });
  }

  async close(): Promise<void> {
    if (this.#session) await this.#ask('DELETE', this.#session);
    for (const one of this.#processes.reverse()) {
      one.kill();
      if (one.exitCode === null && one.signalCode === null) await once(one, 'exit');
    }
  }

  goto = (url: string) => this.#ask('POST', `${this.#session}/url`, { url });

  evaluate = <T>(work: () => T) =>
    this.#ask<T>('POST', `${this.#session}/execute/sync`, {
      script: `return (${String(work)})()`,
      args: [],
    });

  inFigure = async <T>(n: number, work: () => T) => {
    const id = await this.#ask<object>('POST', `${this.#session}/execute/sync`, {
      script: `return document.querySelectorAll('tril-figure')[${n}].shadowRoot.querySelector('iframe')`,
      args: [],
    });
    await this.#ask('POST', `${this.#session}/frame`, { id });
    try {
      return await this.evaluate(work);
    } finally {
      await this.#ask('POST', `${this.#session}/frame`, { id: null });
    }
  };

  press = (key: keyof typeof keys) => {
    const actions = ['keyDown', 'keyUp'].map((type) => ({ type, value: keys[key] }));
    return this.#ask('POST', `${this.#session}/actions`, {
      actions: [{ type: 'key', id: 'keyboard', actions }],
    });
  };

  async #ask<T>(method: string, path: string, body?: object): Promise<T> {
    const answer = await fetch(this.#driver + path, {
      method,
      ...(body && { body: JSON.stringify(body) }),
    });
    const { value } = (await answer.json()) as { value: T & { error?: string; message?: string } };
    if (!answer.ok) throw new Error(`${path}: ${value.error}: ${value.message}`);
    return value;
  }
}
