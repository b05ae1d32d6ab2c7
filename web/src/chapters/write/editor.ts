// The editor for Python, in a shadow root: there its styles are allowed without a word in the page's policy.
import { closeBrackets, closeBracketsKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { python } from '@codemirror/lang-python';
import {
  bracketMatching,
  HighlightStyle,
  indentOnInput,
  indentUnit,
  syntaxHighlighting,
} from '@codemirror/language';
import { EditorState, StateEffect, StateField } from '@codemirror/state';
import { Decoration, EditorView, keymap, lineNumbers, type DecorationSet } from '@codemirror/view';
import { tags } from '@lezer/highlight';

/** A line that stands out, counted from 1: what is wrong there, or what is pointed at. */
export interface LineMark {
  readonly line: number;
  readonly kind: 'error' | 'mistake' | 'pointed';
}

interface Options {
  readonly code: string;
  readonly label: string;
  /** What is said of its keys. */
  readonly about: string;
  readonly change: (code: string) => void;
  /** Of the line that the cursor is in. */
  readonly at: (line: number) => void;
}

export interface Editor {
  /** Replaces all, unless it is there already. */
  set(code: string): void;
  mark(marks: readonly LineMark[]): void;
  /** Where the cursor is. */
  insert(text: string): void;
  close(): void;
}

const setMarks = StateEffect.define<readonly LineMark[]>();
const marks = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(old, { changes, effects, state }) {
    let now = old.map(changes);
    for (const effect of effects) {
      if (!effect.is(setMarks)) continue;
      const there = effect.value.filter(({ line }) => line >= 1 && line <= state.doc.lines);
      const ranges = there.map(({ line, kind }) =>
        Decoration.line({ class: kind }).range(state.doc.line(line).from),
      );
      now = Decoration.set(ranges, true);
    }
    return now;
  },
  provide: (field) => EditorView.decorations.from(field),
});

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.definitionKeyword, tags.controlKeyword], color: 'var(--q)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--k)' },
  { tag: [tags.string], color: 'var(--score)' },
  { tag: [tags.comment], color: 'var(--soft)' },
  { tag: [tags.function(tags.definition(tags.variableName)), tags.className], color: 'var(--v)' },
]);

const look = EditorView.theme({
  '&': { color: 'var(--ink)', height: '100%' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { font: 'inherit', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--ink)', padding: '10px 0' },
  '.cm-line': { padding: '0 6px 0 4px' },
  '.cm-gutters': { background: 'none', border: '0', color: 'var(--soft)' },
  '.cm-lineNumbers .cm-gutterElement': { padding: '0 4px 0 8px', minWidth: '28px' },
  '&.cm-focused .cm-selectionBackground, .cm-content ::selection': {
    background: 'color-mix(in srgb, var(--q) 24%, transparent)',
  },
  '.cm-matchingBracket': { background: 'color-mix(in srgb, var(--pin) 30%, transparent)' },
  '.error': { background: 'color-mix(in srgb, var(--wrong) 16%, transparent)' },
  '.mistake': { background: 'color-mix(in srgb, var(--pin) 26%, transparent)' },
  '.pointed': { background: 'color-mix(in srgb, var(--weight) 14%, transparent)' },
});

/** Tab indents where somebody writes. Who only comes through, from key to key, is not held up. */
function tabKeys() {
  let writes = false;
  const { key, run, shift } = indentWithTab;
  return [
    keymap.of([
      {
        key: key!,
        run: (view) => writes && run!(view),
        shift: (view) => writes && shift!(view),
      },
    ]),
    EditorView.updateListener.of(({ docChanged, focusChanged, view }) => {
      if (focusChanged && !view.hasFocus) writes = false;
      if (docChanged && view.hasFocus) writes = true;
    }),
    EditorView.domEventHandlers({ pointerdown: () => void (writes = true) }),
  ];
}

export function openEditor(root: ShadowRoot, options: Options): Editor {
  const { code, label, about, change, at } = options;
  let telling = true;
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: code,
      extensions: [
        lineNumbers(),
        history(),
        indentOnInput(),
        indentUnit.of('    '),
        bracketMatching(),
        closeBrackets(),
        python(),
        syntaxHighlighting(colours),
        keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap]),
        tabKeys(),
        look,
        marks,
        EditorView.contentAttributes.of({
          ...{ 'aria-label': label, 'aria-description': about },
          ...{ translate: 'no', spellcheck: 'false', dir: 'ltr' },
          tabindex: '0', // which it has anyway, but not every checker knows
        }),
        EditorView.updateListener.of(({ docChanged, selectionSet, state }) => {
          if (docChanged && telling) change(state.doc.toString());
          if (selectionSet) at(state.doc.lineAt(state.selection.main.head).number);
        }),
      ],
    }),
  });
  return {
    set(text) {
      const now = view.state.doc.toString();
      if (now === text || (now === '' && text.trim() === '')) return;
      telling = false;
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
      telling = true;
    },
    mark: (all) => view.dispatch({ effects: setMarks.of(all) }),
    insert(text) {
      view.dispatch(view.state.replaceSelection(text), { scrollIntoView: true });
      view.focus();
    },
    close: () => view.destroy(),
  };
}
