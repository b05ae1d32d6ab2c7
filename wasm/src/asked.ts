/** What is there where the options say so: `Given` if `Options` are known to be `Asked`, else perhaps. */
export type WhereAsked<Options, Asked, Given> = Options extends Asked ? Given : Partial<Given>;
