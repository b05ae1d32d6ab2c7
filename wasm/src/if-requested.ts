/** The options that only modules of `tril/training` understand, of calls that every module has. */
type TrainingOptions = 'dropout' | 'saved';

/**
 * What options must be besides what they are: none that is not among `All`. TypeScript itself looks for such only where
 * the type of options is no parameter. What may be there or not, such as parts of another call's result, is let through.
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

/** `Result` where `Options` are known to be `Requested`; where they may be or not, perhaps. */
export type IfRequested<Options, Requested, Result> = Options extends Requested
  ? Result
  : Partial<Result>;
