/** The options of common calls that only modules of `tril/training` have. */
type TrainingOptions = 'dropout' | 'saved';

/**
 * The constraint that options have no key outside `All`. TypeScript itself checks for excess keys only where the type of
 * options is no parameter. Keys that may or may not exist, such as parts of another call's result, are allowed.
 */
export type Known<Options, All> = {
  readonly [
    Name in keyof Options as Name extends keyof All
      ? never
      : Record<never, never> extends Pick<Options, Name>
        ? never
        : Name
  ]: never;
} & { readonly [Name in Exclude<TrainingOptions, keyof All>]?: never };

/** `Result` where `Options` are known to be `Requested`; optional where they may or may not be. */
export type IfRequested<Options, Requested, Result> = Options extends Requested
  ? Result
  : Partial<Result>;
