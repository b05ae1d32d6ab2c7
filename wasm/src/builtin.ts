interface NodeProcess {
  readonly versions?: { readonly node?: string };
  getBuiltinModule?(name: string): unknown;
}
const node = (): NodeProcess | undefined => (globalThis as { process?: NodeProcess }).process;

/**
 * The version of Node, such as `'22.1.0'`; undefined in a browser. Deno and Bun give the version
 * they are compatible with.
 */
export const nodeVersion = (): string | undefined => node()?.versions?.node;

/**
 * One of Node's own modules, found without an import, which a bundler for the web would follow. Processes of other
 * hosts are not asked: the one of Next.js on the edge throws.
 */
export const ofNode = <Module>(name: string): Module | undefined =>
  nodeVersion() === undefined
    ? undefined
    : (node()?.getBuiltinModule?.(`node:${name}`) as Module | undefined);
