// A router on the history API over React: controlled inputs, lists that are drawn anew, nodes that are
// replaced on every route.
import { createElement as h, useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { flushSync } from 'react-dom';

const tasks = [{ id: 1, text: 'Water the plants', done: false }, { id: 2, text: 'Call the bank', done: true }];

function useRoute() {
  const [path, setPath] = useState(location.hash.slice(1) || '/');
  useEffect(() => {
    const heard = () => setPath(location.hash.slice(1) || '/');
    addEventListener('popstate', heard);
    return () => removeEventListener('popstate', heard);
  }, []);
  const go = (to) => {
    history.pushState({}, '', `#${to}`);
    // The old view is gone before the handler returns.
    flushSync(() => setPath(to));
  };
  return [path, go];
}

function Link({ to, go, children }) {
  return h('a', { href: `#${to}`, onClick: (e) => { e.preventDefault(); go(to); } }, children);
}

function Tasks() {
  const [list, setList] = useState(tasks);
  const [text, setText] = useState('');
  const [only, setOnly] = useState('all');
  const shown = list.filter((t) => only === 'all' || t.done === (only === 'done'));
  return h('main', null,
    h('h1', null, `${list.filter((t) => !t.done).length} tasks left`),
    h('form', { onSubmit: (e) => { e.preventDefault(); if (text.trim()) setList([...list, { id: Date.now(), text, done: false }]); setText(''); } },
      h('label', { htmlFor: 'new' }, 'New task'),
      h('input', { id: 'new', value: text, onChange: (e) => setText(e.target.value.slice(0, 40)) }),
      h('button', { disabled: text.trim() === '' }, 'Add')),
    h('label', null, 'Show ', h('select', { value: only, onChange: (e) => setOnly(e.target.value) }, h('option', { value: 'all' }, 'All'), h('option', { value: 'open' }, 'Open'), h('option', { value: 'done' }, 'Done'))),
    h('ul', { 'aria-label': 'Tasks' }, shown.map((t) => h('li', { key: t.id },
      h('label', null, h('input', { type: 'checkbox', checked: t.done, onChange: () => setList(list.map((x) => (x.id === t.id ? { ...x, done: !x.done } : x))) }), t.text),
      h('button', { 'aria-label': `Remove ${t.text}`, onClick: () => setList(list.filter((x) => x.id !== t.id)) }, '×')))));
}

function Settings() {
  const [name, setName] = useState('ada');
  const [dark, setDark] = useState(false);
  // Upper case is forced: what is shown is what the state holds, not what was typed.
  return h('main', null, h('h1', null, 'Settings'), h('label', null, 'Name ', h('input', { value: name, onChange: (e) => setName(e.target.value.toUpperCase()) })),
    h('button', { role: 'switch', 'aria-checked': dark, onClick: () => setDark(!dark) }, 'Dark mode'), h('p', { role: 'status' }, `${name}, ${dark ? 'dark' : 'light'}`));
}

function App() {
  const [path, go] = useRoute();
  return h('div', null, h('nav', { 'aria-label': 'Main' }, h(Link, { to: '/', go }, 'Tasks'), ' ', h(Link, { to: '/settings', go }, 'Settings')), path === '/settings' ? h(Settings, { key: path }) : h(Tasks, { key: path }));
}

createRoot(document.getElementById('root')).render(h(App));
