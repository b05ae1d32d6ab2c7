// The production build, served like by any static host, for a run of tests. TRIL_PORT and TRIL_DIST select another port
// and another build, for runs side by side.
import { resolve } from 'node:path';

export function served(usualPort: number) {
  const port = Number(process.env.TRIL_PORT ?? usualPort);
  const dist = process.env.TRIL_DIST ? resolve(process.env.TRIL_DIST) : 'dist';
  return {
    port,
    webServer: {
      command: `node serve.mjs --port ${port} --dist ${dist}`,
      cwd: '../../web',
      port,
      reuseExistingServer: false,
    },
  };
}
