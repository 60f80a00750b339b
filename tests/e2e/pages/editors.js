// One editor of each kind that tools.md 6.16 names. `editors.<kind>()` is what its model holds, so that
// a fill which only changed what is seen does not pass.
import { defaultKeymap, history as cmHistory, historyKeymap } from '@codemirror/commands';
import { EditorState as CodeState } from '@codemirror/state';
import { EditorView as CodeView, keymap as codeKeymap, lineNumbers, placeholder } from '@codemirror/view';
import { ContentState, Editor as DraftEditor, EditorState as DraftState } from 'draft-js';
import { registerRichText } from '@lexical/rich-text';
import { $createParagraphNode, $createTextNode, $getRoot, createEditor as createLexical } from 'lexical';
import { baseKeymap } from 'prosemirror-commands';
import { keymap } from 'prosemirror-keymap';
import { DOMParser as ProseParser } from 'prosemirror-model';
import { schema } from 'prosemirror-schema-basic';
import { EditorState as ProseState } from 'prosemirror-state';
import { EditorView as ProseView } from 'prosemirror-view';
import Quill from 'quill';
import { createElement as h, useMemo, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { createEditor as createSlate, Node as SlateNode } from 'slate';
import { withHistory } from 'slate-history';
import { Editable, Slate, withReact } from 'slate-react';

const box = (kind) => {
  const div = document.createElement('div');
  div.id = kind;
  document.body.append(div);
  return div;
};
const editors = {};

function prosemirror() {
  const start = document.createElement('div');
  start.innerHTML = '<p>old <strong>text</strong></p><p>second</p>';
  const view = new ProseView(box('prosemirror'), {
    state: ProseState.create({ doc: ProseParser.fromSchema(schema).parse(start), plugins: [keymap(baseKeymap)] }),
  });
  editors.prosemirror = () => {
    const lines = [];
    view.state.doc.forEach((block) => lines.push(block.textContent));
    return lines.join('\n');
  };
}

function lexical() {
  const root = box('lexical');
  root.contentEditable = 'true';
  const editor = createLexical({ namespace: 'test', onError: (e) => console.error(e) });
  editor.setRootElement(root);
  registerRichText(editor);
  editor.update(() => {
    for (const line of ['old text', 'second']) $getRoot().append($createParagraphNode().append($createTextNode(line)));
  });
  editors.lexical = () => editor.getEditorState().read(() => $getRoot().getChildren().map((n) => n.getTextContent()).join('\n'));
}

function codemirror() {
  const view = new CodeView({
    parent: box('codemirror'),
    state: CodeState.create({
      doc: 'old text\nsecond',
      extensions: [lineNumbers(), cmHistory(), placeholder('type here'), codeKeymap.of([...defaultKeymap, ...historyKeymap])],
    }),
  });
  editors.codemirror = () => view.state.doc.toString();
}

function quill() {
  const editor = new Quill(box('quill'), { placeholder: 'write' });
  editor.setText('old text\nsecond\n');
  editors.quill = () => editor.getText().replace(/\n$/, '');
}

function SlateApp() {
  const editor = useMemo(() => withHistory(withReact(createSlate())), []);
  editors.slate = () => editor.children.map((n) => SlateNode.string(n)).join('\n');
  const initialValue = ['old text', 'second'].map((text) => ({ type: 'paragraph', children: [{ text }] }));
  return h(Slate, { editor, initialValue }, h(Editable, { id: 'slate-host', placeholder: 'words' }));
}

function DraftApp() {
  const [state, setState] = useState(() => DraftState.createWithContent(ContentState.createFromText('old text\nsecond')));
  editors.draft = () => state.getCurrentContent().getPlainText('\n');
  return h(DraftEditor, { editorState: state, onChange: setState });
}

prosemirror();
lexical();
codemirror();
quill();
createRoot(box('slate')).render(h(SlateApp));
createRoot(box('draft')).render(h(DraftApp));
window.editors = editors;
