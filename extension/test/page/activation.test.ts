// @vitest-environment jsdom
//
// What a click sets off, whoever stands in between. That the browser does the same: tests/e2e/page-actions.
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { PRECISE_ATTR, REF_ATTR, type Descriptor, type PageApi } from '@/page-channel';
import { giveLayout } from './layout';

let api: PageApi;
/** As the worker judges it (tools.md 6.6). */
const riskOf = (d: Descriptor): string => (d.hasHref || d.role === 'link' ? 'navigate' : d.type === 'submit' || d.type === 'image' ? 'submit' : 'click');
beforeEach(async () => {
  giveLayout();
  document.body.innerHTML = '<form><div id="at"></div><input type="submit" id="sb"></form>';
  vi.resetModules();
  const { createPageApi } = await import('@/page/create-page-api');
  api = createPageApi(REF_ATTR, PRECISE_ATTR, (e) => e.shadowRoot);
});

async function probe(outer: string, inner: string): Promise<Descriptor> {
  const at = document.getElementById('at')!;
  at.innerHTML = outer;
  const made = document.createElement('template');
  made.innerHTML = inner;
  (at.querySelector('[data-in]') ?? at.firstElementChild!).append(made.content);
  const answer = await api._probe({ call: 1, expectOrigin: location.origin, args: { selector: '#x', purpose: 'click' } });
  if (!answer.ok) throw new Error(answer.error);
  return answer.data as Descriptor;
}

const LINK = '<a href="/delete"></a>';
const SUBMIT = '<button></button>';

describe('a click on what only looks like an end', () => {
  it.each([
    ['a role in a link', LINK, '<b id="x" role="button">x</b>', 'navigate'],
    ['a child of a role in a link', LINK, '<b role="button"><i id="x">x</i></b>', 'navigate'],
    ['a plain button in a link', LINK, '<button type="button" id="x">x</button>', 'navigate'],
    ['an input button in a link', LINK, '<input type="button" id="x">', 'navigate'],
    ['a label of nothing in a link', LINK, '<label id="x">x</label>', 'navigate'],
    ['a role in a submit button', SUBMIT, '<b id="x" role="button">x</b>', 'submit'],
    ['a label in a submit button', SUBMIT, '<label id="x">x</label>', 'submit'],
    ['a role in a label of a submit button', '<label for="sb"></label>', '<b id="x" role="button">x</b>', 'submit'],
    ['a role in a link, several around', '<a href="/delete"><b role="button" data-in></b></a>', '<b id="x" role="button">x</b>', 'navigate'],
    ['a submit button in a link', LINK, '<button id="x">x</button>', 'submit'],
  ] as const)('%s: %s around %s', async (_, outer, inner, risk) => {
    expect(riskOf(await probe(outer, inner))).toBe(risk);
  });

  it.each([
    ['a box in a link', LINK, '<input type="checkbox" id="x">'],
    ['a box by its label in a link', LINK, '<label id="x">x<input type="checkbox"></label>'],
    ['a reset button in a link', LINK, '<button type="reset" id="x">x</button>'],
    ['a summary in a link', LINK, '<details><summary id="x">x</summary></details>'],
    ['a button in a label of a submit button', '<label for="sb"></label>', '<button type="button" id="x">x</button>'],
    ['a role in nothing', '<p></p>', '<b id="x" role="button">x</b>'],
  ] as const)('is no more than that on %s: %s around %s', async (_, outer, inner) => {
    expect(riskOf(await probe(outer, inner))).toBe('click');
  });

  it('is still described by what is nearest', async () => {
    expect(await probe(LINK, '<b id="x" role="button">Delete all</b>')).toEqual({ tagName: 'b', role: 'button', type: '', hasHref: true, name: 'Delete all' });
    expect(await probe(SUBMIT, '<b id="x" role="button">Send</b>')).toEqual({ tagName: 'b', role: 'button', type: 'submit', hasHref: false, name: 'Send' });
  });

  it('is refused once a link was put around it', async () => {
    const expect_ = await probe('<p></p>', '<b id="x" role="button" data-in-front>x</b>');
    const x = document.getElementById('x')!;
    x.addEventListener('pointerdown', () => {
      const link = document.createElement('a');
      link.setAttribute('href', '/delete');
      x.replaceWith(link);
      link.append(x);
    });
    const clicked = vi.fn();
    x.addEventListener('click', clicked);
    const answer = await api.page_click({ call: 2, expectOrigin: location.origin, expect: expect_, args: { selector: '#x', button: 'left', count: 1, modifiers: [] } });
    expect(answer).toMatchObject({ ok: false, error: expect.stringContaining('changed and was not clicked') });
    expect(clicked).not.toHaveBeenCalled();
  });
});

describe('what a style sheet writes', () => {
  it('is no name where it writes what a field hides', async () => {
    document.body.innerHTML = '<div role="button" tabindex="0" id="x"><input type="password" value="hunter2"></div>';
    vi.stubGlobal('getComputedStyle', () => ({ content: 'attr(value)', display: 'block' }));
    vi.resetModules();
    const { createPageApi } = await import('@/page/create-page-api');
    api = createPageApi(REF_ATTR, PRECISE_ATTR, (e) => e.shadowRoot);
    const answer = await api._probe({ call: 1, expectOrigin: location.origin, args: { selector: '#x', purpose: 'click' } });
    vi.unstubAllGlobals();
    expect(answer).toMatchObject({ ok: true, data: { name: '' } });
  });
});
