// The source of a module's code: the caller, a file beside its script, or, where a bundle for Node has
// left that file behind, the bundle.
import { bytesOf, isModule, isResponse, type Bytes } from './kinds.js';
import { nodeVersion, ofNode } from './builtin.js';
import type { Script } from './raw.js';

/** `WebAssembly.Module`, or any object where TypeScript lacks WebAssembly, as with the types of Node alone. */
export type WasmModule = typeof globalThis extends {
  readonly WebAssembly: { readonly Module: { readonly prototype: infer Module } };
}
  ? Module
  : object;

/** A module in the forms that callers can pass: compiled, as bytes, or as `fetch` gives it. */
export type WasmSource = WasmModule | Bytes | Response;

/** The module itself; undefined where the source is none. */
export async function compileModule(source: unknown): Promise<WasmModule | undefined> {
  if (isModule(source)) return source as WasmModule;
  if (!isResponse(source)) {
    const bytes = bytesOf(source);
    return bytes && WebAssembly.compile(bytes as Uint8Array<ArrayBuffer>);
  }
  if (!source.ok) throw new Error(`it was answered ${source.status}`);
  const isWasm = source.headers.get('content-type')?.startsWith('application/wasm') ?? false;
  return isWasm && typeof WebAssembly.compileStreaming === 'function'
    ? WebAssembly.compileStreaming(source)
    : WebAssembly.compile(await source.arrayBuffer());
}

interface NodeFiles {
  readonly promises: { readFile(path: string | URL): Promise<Uint8Array> };
}

/** The module at an address, or in Node at a path. */
export async function moduleAt(address: string): Promise<WasmModule> {
  const version = nodeVersion();
  if (version === undefined || /^(https?|data|blob):/.test(address)) {
    return (await compileModule(await fetch(address, { credentials: 'same-origin' })))!;
  }
  const files = ofNode<NodeFiles>('fs');
  if (!files) throw new Error(`Node ${version} is too old, 20.19 or newer is needed`);
  const path = address.startsWith('file:') ? new URL(address) : address;
  return (await compileModule(await files.promises.readFile(path)))!;
}

type Inlined = Readonly<Record<string, () => Promise<{ readonly default: string }>>>;
const inlined: Record<string, Inlined[string]> = {};

/** The entries for Node contain the modules as scripts, too, which a bundler takes into the bundle. */
export function bringInlined(modules: Inlined): void {
  Object.assign(inlined, modules);
}

/** Unpacks and compiles a module from base64 of gzip. */
async function unpacked(text: string): Promise<WasmModule> {
  const packed = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  return WebAssembly.compile(await new Response(stream).arrayBuffer());
}

/** The module beside the script, or else the one in the bundle. */
export async function moduleBeside(script: Script, name: string): Promise<WasmModule> {
  try {
    return await moduleAt(String(script.wasmUrl()));
  } catch (error) {
    const inBundle = inlined[name];
    if (!inBundle) throw error;
    return unpacked((await inBundle()).default);
  }
}
