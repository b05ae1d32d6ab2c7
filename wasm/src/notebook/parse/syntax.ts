// The syntax tree that the interpreter runs.

/** The position in the code. */
interface Located {
  /** Line, counted from 1. */
  readonly line: number;
}

/** A text of an f-string, or a replacement field. */
export type FormatPart =
  | string
  | {
      readonly value: Expression;
      readonly conversion: string;
      readonly spec: readonly FormatPart[];
      /** `x=`, written before the value. */
      readonly label: string;
    };

export interface Parameter {
  readonly name: string;
  readonly fallback?: Expression | undefined;
  /** `*args` or `**named`. */
  readonly star: '' | '*' | '**';
  /** Whether it follows a `*`. */
  readonly namedOnly: boolean;
}

export interface Argument {
  readonly value: Expression;
  readonly name?: string | undefined;
  readonly star: '' | '*' | '**';
}

export interface Item {
  readonly star: boolean;
  readonly value: Expression;
}

export interface Clause {
  readonly target: Expression;
  readonly over: Expression;
  readonly tests: readonly Expression[];
}

export type Literal =
  | { readonly type: 'int' | 'float'; readonly value: number }
  | { readonly type: 'str'; readonly value: string }
  | { readonly type: 'bool'; readonly value: boolean }
  | { readonly type: 'None' | 'Ellipsis' };

export type Expression = Located &
  (
    | { readonly kind: 'literal'; readonly literal: Literal }
    | { readonly kind: 'name'; readonly name: string }
    | { readonly kind: 'unary'; readonly sign: string; readonly operand: Expression }
    | {
        readonly kind: 'binary' | 'logic';
        readonly sign: string;
        readonly left: Expression;
        readonly right: Expression;
        /** The source code of both sides, for messages. */
        readonly texts: readonly [string, string];
      }
    | {
        readonly kind: 'compare';
        readonly first: Expression;
        readonly rest: readonly { readonly sign: string; readonly value: Expression }[];
      }
    | {
        readonly kind: 'choice';
        readonly test: Expression;
        readonly then: Expression;
        readonly otherwise: Expression;
      }
    | {
        readonly kind: 'lambda';
        readonly parameters: readonly Parameter[];
        readonly body: Expression;
      }
    | {
        readonly kind: 'display';
        readonly type: 'list' | 'tuple' | 'set';
        readonly items: readonly Item[];
      }
    | {
        readonly kind: 'dict';
        readonly entries: readonly {
          readonly key?: Expression | undefined;
          readonly value: Expression;
        }[];
      }
    | {
        readonly kind: 'comprehension';
        readonly type: 'list' | 'set' | 'dict' | 'generator';
        readonly key?: Expression | undefined;
        readonly item: Expression;
        readonly clauses: readonly Clause[];
      }
    | {
        readonly kind: 'call';
        readonly callee: Expression;
        readonly args: readonly Argument[];
      }
    | { readonly kind: 'attribute'; readonly of: Expression; readonly name: string }
    | { readonly kind: 'subscript'; readonly of: Expression; readonly index: Expression }
    | {
        readonly kind: 'slice';
        readonly start?: Expression | undefined;
        readonly stop?: Expression | undefined;
        readonly step?: Expression | undefined;
      }
    | { readonly kind: 'format'; readonly parts: readonly FormatPart[] }
    | { readonly kind: 'walrus'; readonly name: string; readonly value: Expression }
  );

export type Statement = Located &
  (
    | { readonly kind: 'expression'; readonly value: Expression }
    | {
        readonly kind: 'assign';
        readonly targets: readonly Expression[];
        readonly value: Expression;
      }
    | {
        readonly kind: 'update';
        readonly target: Expression;
        readonly sign: string;
        readonly value: Expression;
        readonly texts: readonly [string, string];
      }
    | {
        readonly kind: 'def';
        readonly name: string;
        readonly parameters: readonly Parameter[];
        readonly body: readonly Statement[];
        /** Names such as `property`. */
        readonly decorators: readonly string[];
      }
    | {
        readonly kind: 'class';
        readonly name: string;
        readonly bases: readonly Expression[];
        readonly body: readonly Statement[];
      }
    | { readonly kind: 'return'; readonly value?: Expression | undefined }
    | {
        readonly kind: 'if';
        readonly tests: readonly {
          readonly test: Expression;
          readonly body: readonly Statement[];
        }[];
        readonly otherwise: readonly Statement[];
      }
    | {
        readonly kind: 'for';
        readonly target: Expression;
        readonly over: Expression;
        readonly body: readonly Statement[];
        readonly otherwise: readonly Statement[];
      }
    | {
        readonly kind: 'while';
        readonly test: Expression;
        readonly body: readonly Statement[];
        readonly otherwise: readonly Statement[];
      }
    | { readonly kind: 'pass' | 'break' | 'continue' }
    | { readonly kind: 'raise'; readonly value?: Expression | undefined }
    | {
        readonly kind: 'assert';
        readonly test: Expression;
        readonly message?: Expression | undefined;
      }
    | { readonly kind: 'delete'; readonly targets: readonly Expression[] }
    | {
        readonly kind: 'import';
        /** The module, such as `torch.nn`; with `from` the module after it. */
        readonly module: string;
        /** The name after `as`; not with `from`. */
        readonly alias?: string | undefined;
        /** With `from`: each name, and the name it is bound to. */
        readonly names?: readonly (readonly [string, string])[] | undefined;
      }
    | { readonly kind: 'scope'; readonly type: string; readonly names: readonly string[] }
    | { readonly kind: 'with'; readonly value: Expression; readonly body: readonly Statement[] }
  );
