interface NodeProcess {
  readonly versions?: { readonly node?: string };
  getBuiltinModule?(name: string): unknown;
}
const node = (): NodeProcess | undefined => (globalThis as { process?: NodeProcess }).process;

/** Such as `'22.1.0'`; nothing in a browser. Deno and Bun say which Node they are like. */
export const nodeVersion = (): string | undefined => node()?.versions?.node;

/**
 * One of Node's own modules; found without an import, which a bundler for the web would follow. Other hosts' processes
 * are not asked: that of Next.js on the edge throws.
 */
export const ofNode = <Module>(name: string): Module | undefined =>
  nodeVersion() === undefined
    ? undefined
    : (node()?.getBuiltinModule?.(`node:${name}`) as Module | undefined);
