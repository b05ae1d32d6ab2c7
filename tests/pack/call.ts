import { execFile } from 'node:child_process';
import { delimiter } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const programs = fileURLToPath(new URL('../../node_modules/.bin', import.meta.url));

/** Disables telemetry, and builds for production, where Vitest would make tools build for tests. */
export const environment = {
  ...process.env,
  ...{ NEXT_TELEMETRY_DISABLED: '1', NUXT_TELEMETRY_DISABLED: '1', CI: '1' },
  NODE_ENV: undefined,
};

/** Runs the command in the folder; its whole output is the error if it fails. */
async function run(cwd: string, command: string, args: string[]) {
  const PATH = [programs, process.env.PATH].join(delimiter);
  const options = { cwd, env: { ...environment, PATH }, maxBuffer: 2 ** 26 };
  try {
    return await promisify(execFile)(command, args, options);
  } catch (error) {
    const { message, stdout } = error as { message: string; stdout: string }; // stderr is in the message
    throw new Error(`${message}\n${stdout}`);
  }
}

/** The standard output of the command, run in the folder. */
export const call = async (cwd: string, command: string, ...args: string[]): Promise<string> =>
  (await run(cwd, command, args)).stdout;

/** The same with the standard error. */
export async function allOutput(cwd: string, command: string, ...args: string[]): Promise<string> {
  const { stdout, stderr } = await run(cwd, command, args);
  return stdout + stderr;
}

/** The first block in the language in the package's README that contains the text. */
export function example(readme: string, language: string, text: string): string {
  const blocks = [...readme.matchAll(/^```(\w+)\n(.*?)^```/gmsu)];
  const block = blocks.find(([, name, body]) => name === language && body!.includes(text));
  if (!block) throw new Error(`the README has no ${language} with ${text}`);
  return block[2]!;
}
