// The Python editor, in a shadow root: there the page's content security policy allows its styles without an exception.
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

/** A highlighted line, counted from 1: it has a problem, or is pointed at. */
export interface LineMark {
  readonly line: number;
  readonly kind: 'error' | 'mistake' | 'pointed';
}

interface Options {
  readonly code: string;
  readonly label: string;
  /** Description of its keys. */
  readonly about: string;
  readonly change: (code: string) => void;
  /** Called with the line of the cursor. */
  readonly at: (line: number) => void;
}

export interface Editor {
  /** Replaces the text, unless it is equal already. */
  set(code: string): void;
  mark(marks: readonly LineMark[]): void;
  /** Inserts text at the cursor. */
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

/** Tab indents while the visitor writes. A visitor who only passes through by Tab is not trapped. */
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
          tabindex: '0', // which it has anyway, but not every checker knows that
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
