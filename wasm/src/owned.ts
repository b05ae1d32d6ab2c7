/** What else a module gives out, to be disposed at the end of a scope: of kinds that `context.ts` does not know. */
export abstract class OwnedObject {
  abstract dispose(): void;
}
