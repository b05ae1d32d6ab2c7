import { spawnSync } from 'node:child_process';
import { delimiter } from 'node:path';
import { fileURLToPath } from 'node:url';

const programs = fileURLToPath(new URL('../../node_modules/.bin', import.meta.url));

/** What the command prints when it is run in the folder; its whole output as an error if it fails. */
export function call(cwd: string, command: string, ...args: string[]): string {
  const env = { ...process.env, PATH: [programs, process.env.PATH].join(delimiter) };
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd,
    env,
    encoding: 'utf8',
  });
  if (error) throw error;
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}\n${stdout}${stderr}`);
  return stdout;
}

/** The first block of the language in the package's README that has the text in it. */
export function example(readme: string, language: string, text: string): string {
  const blocks = [...readme.matchAll(/^```(\w+)\n(.*?)^```/gmsu)];
  const block = blocks.find(([, name, body]) => name === language && body!.includes(text));
  if (!block) throw new Error(`the README has no ${language} with ${text}`);
  return block[2]!;
}
