// Runs the cells of a notebook one after another: an error in one stops only that cell.
import { TrilError } from '../error.js';
import { ArrayValue } from './arrays/array.js';
import { kindOf, type Recorded } from './arrays/record.js';
import { Raised, Stopped } from './language/errors.js';
import type { Interpreter } from './language/interpret.js';
import type { Scope } from './language/scope.js';
import { isNumber, numberIn, typeName, type Value } from './language/values.js';
import { readProgram } from './parse/statements.js';
import type { ProgramCell, ProgramError } from './program-run.js';
import { textOf, type Room } from './written-values.js';

/** A part of a program that runs on its own. */
export interface Part {
  readonly line: number;
  readonly lines: number;
  readonly code: string;
}

export function errorOf(error: unknown, line: number): ProgramError {
  if (error instanceof Raised)
    return { kind: error.kind, line: error.line ?? line, message: error.message };
  // The engine's own errors: a stack overflow, or an array or a string that is too long.
  const { name, message } = error as Error;
  if (name === 'RangeError') {
    return /call stack|recursion/i.test(message)
      ? { kind: 'RecursionError', line, message: 'maximum recursion depth exceeded' }
      : { kind: 'MemoryError', line, message };
  }
  if (error instanceof TrilError) return { kind: kindOf(error), line, message: error.message };
  throw error;
}

/** The value of a cell at its end; later cells may write to its array. */
interface Shown {
  readonly value: Value;
  readonly text: string;
  readonly recorded?: Recorded;
}

/** A finished cell; its value is described when all nodes have their names. */
export interface RanCell extends Omit<ProgramCell, 'value'> {
  readonly shown: Shown | undefined;
}

function show(interpreter: Interpreter, value: Value, left: Room): Shown | undefined {
  if (value === null) return undefined;
  const { recorder } = interpreter;
  const text = textOf(value, left);
  return value instanceof ArrayValue
    ? { value, text, recorded: recorder.uncounted(() => value.recorded) }
    : { value, text };
}

export function describeShown(
  { value, text, recorded }: Shown,
  nameOf: (recorded: Recorded) => string,
): NonNullable<ProgramCell['value']> {
  const type = typeName(value);
  if (value instanceof ArrayValue && recorded) {
    const { shape, dtype } = value;
    return { type, text, node: nameOf(recorded), shape: [...shape], dtype };
  }
  if (typeof value === 'string') return { type, text, value };
  if (isNumber(value))
    return { type, text, value: typeof value === 'boolean' ? value : numberIn(value) };
  return { type, text };
}

export function runCells(
  interpreter: Interpreter,
  scope: Scope,
  parts: readonly Part[],
  left: Room,
): RanCell[] {
  const { recorder } = interpreter;
  const ran: RanCell[] = [];
  for (const { line, lines, code } of parts) {
    const before = interpreter.printed.length;
    let error: ProgramError | null = null;
    let shown: Shown | undefined;
    let isSpent = false;
    try {
      const body = readProgram(code, line - 1);
      interpreter.run(body, scope);
      const isValue = body.at(-1)?.kind === 'expression' && !/;\s*(?:#.*)?$/.test(code);
      if (isValue) shown = show(interpreter, interpreter.last, left);
    } catch (thrown) {
      error = errorOf(thrown, recorder.line);
      isSpent = thrown instanceof Stopped;
    }
    ran.push({ line, lines, printed: interpreter.printed.slice(before), error, shown });
    if (isSpent) break;
  }
  return ran;
}
