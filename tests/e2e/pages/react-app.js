// A page as applications make them: controlled fields of React, which ignore what passes by its setters.
import { createElement as h, useState } from 'react';
import { createRoot } from 'react-dom/client';

function App() {
  const [state, set] = useState({ text: 'old', area: '', drop: 'a', tick: false, clicks: 0, keys: '', over: false });
  window.state = state;
  const put = (name) => (e) => set((s) => ({ ...s, [name]: e.target.type === 'checkbox' ? e.target.checked : e.target.value }));
  return h('div', null,
    h('input', { id: 'text', value: state.text, onChange: put('text'), onKeyDown: (e) => set((s) => ({ ...s, keys: `${s.keys}${e.key} ` })) }),
    h('textarea', { id: 'area', value: state.area, onChange: put('area') }),
    h('select', { id: 'drop', value: state.drop, onChange: put('drop') }, h('option', { value: 'a' }, 'Alpha'), h('option', { value: 'b' }, 'Beta')),
    h('label', null, h('input', { id: 'tick', type: 'checkbox', checked: state.tick, onChange: put('tick') }), 'tick'),
    h('button', { id: 'count', onClick: () => set((s) => ({ ...s, clicks: s.clicks + 1 })) }, 'count'),
    h('div', { id: 'menu', role: 'button', onMouseEnter: () => set((s) => ({ ...s, over: true })) }, 'menu'));
}
createRoot(document.getElementById('root')).render(h(App));
