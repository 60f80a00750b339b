// @vitest-environment jsdom
import { beforeEach, describe, expect, it } from 'vitest';
import { stampNodes, whereAmI } from '@/ops/precise-page';
import { shade } from '../shade';

/** As it is shipped: from its text. */
const shipped = new Function(`return (${stampNodes.toString()})`)() as typeof stampNodes;
const stamp = (above: number, ...elements: Element[]) => shipped('data-p', above, true, [], [], [], ...elements);
const all = (selector: string) => [...document.querySelectorAll(selector)];

beforeEach(() => document.body.replaceChildren());

describe('the numbers of elements', () => {
  it('are kept by those that have one, and new ones are above all', () => {
    document.body.innerHTML = '<b></b><b data-p="p7"></b><b></b><i data-p="p9"></i>';
    expect(stamp(0, ...all('b')).map((s) => s.ref)).toEqual([10, 7, 11]);
    expect(stamp(0, ...all('b')).map((s) => s.ref)).toEqual([10, 7, 11]);
    expect(all('b').map((el) => el.getAttribute('data-p'))).toEqual(['p10', 'p7', 'p11']);
  });

  it('are above those that were given to elements that are gone', () => {
    document.body.innerHTML = '<b></b>';
    expect(stamp(41, ...all('b')).map((s) => s.ref)).toEqual([42]);
  });

  it('of clones stay with the first', () => {
    document.body.innerHTML = '<b data-p="p3"></b><b data-p="p3"></b>';
    expect(stamp(0, ...all('b')).map((s) => s.ref)).toEqual([3, 4]);
  });

  it.each(['7', 'e7', 'p07', 'p0', 'p1000000', 'p-1', ' p7', ''])('replace what the page wrote: %j', (value) => {
    document.body.innerHTML = '<b></b>';
    all('b')[0]!.setAttribute('data-p', value);
    expect(stamp(0, ...all('b')).map((s) => s.ref)).toEqual([1]);
  });

  it('count those in open shadow trees, and are not given below closed ones', () => {
    document.body.innerHTML = '<div></div><p></p>';
    const open = all('div')[0]!.attachShadow({ mode: 'open' });
    open.innerHTML = '<b data-p="p5"></b><b></b>';
    const closed = all('p')[0]!.attachShadow({ mode: 'closed' });
    closed.innerHTML = '<b></b><span></span>';
    const nested = closed.querySelector('span')!.attachShadow({ mode: 'open' });
    nested.innerHTML = '<b></b>';
    const [first, second] = open.querySelectorAll('b');
    expect(stamp(0, first!, second!, closed.querySelector('b')!, nested.querySelector('b')!).map((s) => s.ref)).toEqual([5, 6, null, null]);
  });

  it('are not given in a frame, nor to what left the document', () => {
    document.body.innerHTML = '<b></b>';
    expect(shipped('data-p', 0, false, [], [], [], ...all('b')).map((s) => s.ref)).toEqual([null]);
    expect(stamp(0, document.createElement('b')).map((s) => s.ref)).toEqual([null]);
  });
});

describe('what a page puts in the place of the members of its nodes', () => {
  const FORM = `<form><input name="hasAttribute" value="a"><input name="shadowRoot" type="password" value="pass"><input name="getAttribute">
    <select name="localName"><option label="One"></option></select><textarea name="ownerDocument" autocomplete="one-time-code">9876</textarea>
    <iframe src="https://other.example/x"></iframe><svg><text>t</text></svg><p>text</p><div></div></form>`;
  const prepare = (): Element[] => {
    document.body.innerHTML = FORM;
    all('div')[0]!.attachShadow({ mode: 'open' }).innerHTML = '<b data-p="p5"></b>';
    const nodes = [...all('body *'), ...all('div')[0]!.shadowRoot!.querySelectorAll('b')];
    return nodes;
  };
  const stamped = (nodes: Element[]) => shipped('data-p', 0, true, nodes.map(() => 'Code 9876'), [], [], ...nodes);

  it('changes nothing', () => {
    const first = stamped(prepare());
    expect(first.map((s) => s.ref).filter((ref) => ref !== null).length).toBe(12);
    expect(first[0]?.name).toBe('Code ••••••');
    const nodes = prepare();
    const unshade = shade(document, all('div')[0]!.shadowRoot!, ...nodes);
    try {
      expect(stamped(nodes)).toEqual(first);
    } finally {
      unshade();
    }
  });

  it('nor where the document is', () => {
    document.title = 'T';
    const unshade = shade(document);
    try {
      expect((new Function(`return (${whereAmI.toString()})()`) as () => unknown)()).toMatchObject({ title: 'T' });
    } finally {
      unshade();
    }
  });
});

describe('what is read besides', () => {
  it.each([
    ['<input value="x">', 'x', false],
    ['<input type="password" value="x">', '*', true],
    ['<input type="password">', '', true],
    ['<input autocomplete="section-a cc-number" value="x">', '*', true],
    ['<input autocomplete="One-Time-Code" value="x">', '*', true],
    ['<textarea>long</textarea>', 'long', false],
    ['<input type="checkbox" value="on">', '', false],
    ['<select><option>A</option><option selected label="B!">B</option></select>', 'B!', false],
    ['<a href="/">x</a>', '', false],
  ])('%s', (html, value, hidden) => {
    document.body.innerHTML = html;
    expect(stamp(0, document.body.firstElementChild!)).toMatchObject([{ value, hidden }]);
  });

  it('are the first twenty options, and how many more there are', () => {
    document.body.innerHTML = `<select>${Array.from({ length: 23 }, (_, i) => `<option>o${i}</option>`).join('')}</select>`;
    const [first] = stamp(0, document.body.firstElementChild!);
    expect([first?.options?.labels.length, first?.options?.labels[19], first?.options?.rest]).toEqual([20, 'o19', 3]);
    expect(stamp(0, ...all('option')).every((s) => s.ref === null && s.tag === 'option')).toBe(true);
  });

  it.each([
    ['<input autocomplete="cc-number" value="4111222233334444">', 'Pay with 4111222233334444 now', 'Pay with •••••• now'],
    ['<textarea autocomplete="one-time-code">76 \n 54</textarea>', 'Code76 54', 'Code••••••'],
    ['<input autocomplete="cc-exp-month" value="1">', 'Month 1 of 12', 'Month •••••• of 12'],
    ['<input autocomplete="cc-csc" value="7.">', 'Go 7. or 70', 'Go •••••• or 70'],
    ['<input autocomplete="one-time-code" value="12"><input autocomplete="one-time-code" value="1234">', '1234 12', '•••••• ••••••'],
    ['<select multiple autocomplete="cc-exp-year"><option selected>2040</option><option selected>2041</option><option>2042</option></select>', '2040 2041 2042', '•••••• •••••• 2042'],
    ['<input autocomplete="name" value="Ann">', 'Pay as Ann', 'Pay as Ann'],
    ['<input type="password" value="pay">', 'pay', 'pay'],
    ['<input autocomplete="one-time-code">', 'Code', 'Code'],
  ])('are names without what a field hides: %s', (html, given, name) => {
    document.body.innerHTML = `<button></button>${html}`;
    expect(shipped('data-p', 0, true, [given], [], [], all('button')[0]!)).toMatchObject([{ name }]);
  });

  it('are names without what a field in a shadow tree hides', () => {
    document.body.innerHTML = '<button></button><div></div><p></p>';
    all('div')[0]!.attachShadow({ mode: 'open' }).innerHTML = '<input autocomplete="one-time-code" value="9876">';
    const closed = all('p')[0]!.attachShadow({ mode: 'closed' });
    closed.innerHTML = '<input autocomplete="one-time-code" value="5432">';
    const given = shipped('data-p', 0, true, ['Go 9876 5432', ''], [], [], all('button')[0]!, closed.firstElementChild!);
    expect(given[0]?.name).toBe('Go •••••• ••••••');
  });

  it('are names without what such a field held before, though not what it holds now', () => {
    document.body.innerHTML = '<button></button><input autocomplete="one-time-code" value="7654"><input value="Ann">';
    const before = shipped('data-p', 0, false, null);
    expect(before).toEqual(['7654']);
    all('input')[0]!.remove();
    expect(shipped('data-p', 0, true, ['Go 7654, Ann'], [], before, all('button')[0]!)).toMatchObject([{ name: 'Go ••••••, Ann' }]);
  });

  it('are names without what the tree says that such a field holds', () => {
    document.body.innerHTML = '<button></button><input type="month" autocomplete="cc-exp" value="2027-05"><input value="Ann">';
    const [button, exp, name] = [...all('button'), ...all('input')];
    const given = shipped('data-p', 0, true, ['Go May 2027, Ann', '', ''], ['', 'May  2027', 'Ann'], [], button!, exp!, name!);
    expect(given[0]?.name).toBe('Go ••••••, Ann');
  });

  describe('of an editor that hides its text', () => {
    beforeEach(() => {
      const editable = { configurable: true, get: (): boolean => false };
      editable.get = function (this: Element) {
        return this.closest('[contenteditable]') !== null;
      };
      Object.defineProperty(HTMLElement.prototype, 'isContentEditable', editable);
      return () => Reflect.deleteProperty(HTMLElement.prototype, 'isContentEditable');
    });

    it('are neither names nor values of what is in it', () => {
      document.body.innerHTML = '<div contenteditable autocomplete="one-time-code"><p><a href="#">765</a></p></div><div contenteditable><a href="#">note</a></div>';
      const given = shipped('data-p', 0, true, ['765', 'note'], [], [], ...all('a'));
      expect(given).toMatchObject([{ name: '', hidden: true }, { name: 'note', hidden: false }]);
    });

    it.each([
      ['contenteditable autocomplete="cc-exp"', 'Go ••••••'],
      ['contenteditable', 'Go May'],
      ['autocomplete="cc-exp"', 'Go May'],
    ])('are names without what a part of it says: %s', (attributes, name) => {
      document.body.innerHTML = `<button></button><p ${attributes}></p>`;
      const parts = all('p')[0]!.attachShadow({ mode: 'closed' });
      parts.innerHTML = '<b>May</b>';
      expect(shipped('data-p', 0, true, ['Go May', ''], ['', '5'], [], all('button')[0]!, parts.firstElementChild!)[0]?.name).toBe(name);
    });
  });

  it('is where the document is', () => {
    document.title = 'T';
    expect((new Function(`return (${whereAmI.toString()})()`) as () => unknown)()).toEqual({ origin: location.origin, url: location.href, title: 'T' });
  });
});
