/** `Result` where `Options` are known to be `Requested`; where they may be or not, perhaps. */
export type IfRequested<Options, Requested, Result> = Options extends Requested
  ? Result
  : Partial<Result>;
