// @vitest-environment jsdom
import { beforeEach, describe, expect, it } from 'vitest';
import { hiddenFields } from '@/ops/precise-fields';
import { stampNodes, whereAmI, type StampedNode } from '@/ops/precise-page';
import { shade } from '../shade';

/** As they are shipped: from their text. */
const shipped = new Function(`return (${stampNodes.toString()})`)() as typeof stampNodes;
const fieldsOf = new Function(`return (${hiddenFields.toString()})`)() as typeof hiddenFields;

interface Reading {
  names?: string[];
  values?: string[];
  above?: number;
  canAct?: boolean;
  /** Nodes in closed trees that the browser tells of, at both looks. */
  closed?: Node[];
  vanished?: string[];
  /** What the page does in between. */
  meanwhile?: () => void;
}

/** One reading, from the first look to the lines. */
async function reading(elements: Element[], { names = [], values = [], above = 0, canAct = true, closed = [], vanished = [], meanwhile }: Reading = {}): Promise<(StampedNode | null)[]> {
  const fields = fieldsOf();
  fields.watch(closed);
  meanwhile?.();
  // Changes are told of in a task of their own, as between two commands of the debugger.
  if (meanwhile) await new Promise((resolve) => setTimeout(resolve, 0));
  fields.settle(closed, elements, values, vanished);
  return shipped(fields, 'data-p', above, canAct, names, elements);
}
const stamp = (above: number, ...elements: Element[]) => reading(elements, { above });
const refs = async (above: number, ...elements: Element[]) => (await stamp(above, ...elements)).map((s) => s?.ref);
/** What the first element is called, given the tree's name of it. */
const nameIn = async (elements: Element[], name: string, more: Reading = {}) => (await reading(elements, { names: [name], ...more }))[0]?.name;
const all = (selector: string) => [...document.querySelectorAll(selector)];

beforeEach(() => document.body.replaceChildren());

describe('the numbers of elements', () => {
  it('are kept by those that have one, and new ones are above all', async () => {
    document.body.innerHTML = '<b></b><b data-p="p7"></b><b></b><i data-p="p9"></i>';
    expect(await refs(0, ...all('b'))).toEqual([10, 7, 11]);
    expect(await refs(0, ...all('b'))).toEqual([10, 7, 11]);
    expect(all('b').map((el) => el.getAttribute('data-p'))).toEqual(['p10', 'p7', 'p11']);
  });

  it('are above those that were given to elements that are gone', async () => {
    document.body.innerHTML = '<b></b>';
    expect(await refs(41, ...all('b'))).toEqual([42]);
  });

  it('of clones stay with the first', async () => {
    document.body.innerHTML = '<b data-p="p3"></b><b data-p="p3"></b>';
    expect(await refs(0, ...all('b'))).toEqual([3, 4]);
  });

  it.each(['7', 'e7', 'p07', 'p0', 'p1000000', 'p-1', ' p7', ''])('replace what the page wrote: %j', async (value) => {
    document.body.innerHTML = '<b></b>';
    all('b')[0]!.setAttribute('data-p', value);
    expect(await refs(0, ...all('b'))).toEqual([1]);
  });

  it('count those in open shadow trees, and are not given below closed ones', async () => {
    document.body.innerHTML = '<div></div><p></p>';
    const open = all('div')[0]!.attachShadow({ mode: 'open' });
    open.innerHTML = '<b data-p="p5"></b><b></b>';
    const closed = all('p')[0]!.attachShadow({ mode: 'closed' });
    closed.innerHTML = '<b></b><span></span>';
    const nested = closed.querySelector('span')!.attachShadow({ mode: 'open' });
    nested.innerHTML = '<b></b>';
    const [first, second] = open.querySelectorAll('b');
    expect(await refs(0, first!, second!, closed.querySelector('b')!, nested.querySelector('b')!)).toEqual([5, 6, null, null]);
  });

  it('are not given in a frame, nor to what left the document', async () => {
    document.body.innerHTML = '<b></b>';
    expect(await reading(all('b'), { canAct: false })).toMatchObject([{ ref: null }]);
    expect(await stamp(0, document.createElement('b'))).toEqual([null]);
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
  const stamped = (nodes: Element[]) => reading(nodes, { names: nodes.map(() => 'Code 9876') });

  it('changes nothing', async () => {
    const first = await stamped(prepare());
    expect(first.map((s) => s?.ref).filter((ref) => ref !== null).length).toBe(12);
    expect(first[0]?.name).toBe('Code ••••••');
    const nodes = prepare();
    const unshade = shade(document, all('div')[0]!.shadowRoot!, ...nodes);
    try {
      expect(await stamped(nodes)).toEqual(first);
    } finally {
      unshade();
    }
  });

  it('nor where the document is', async () => {
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
  ])('%s', async (html, value, hidden) => {
    document.body.innerHTML = html;
    expect(await stamp(0, document.body.firstElementChild!)).toMatchObject([{ value, hidden }]);
  });

  it('are the first twenty options, and how many more there are', async () => {
    document.body.innerHTML = `<select>${Array.from({ length: 23 }, (_, i) => `<option>o${i}</option>`).join('')}</select>`;
    const [first] = await stamp(0, document.body.firstElementChild!);
    expect([first?.options?.labels.length, first?.options?.labels[19], first?.options?.rest]).toEqual([20, 'o19', 3]);
    expect((await stamp(0, ...all('option'))).every((s) => s?.ref === null && s.tag === 'option')).toBe(true);
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
    ['<textarea autocomplete="one-time-code">7\n77</textarea>', 'Go 777, 7 77', 'Go ••••••, ••••••'],
  ])('are names without what a field hides: %s', async (html, given, name) => {
    document.body.innerHTML = `<button></button>${html}`;
    expect(await nameIn(all('button'), given)).toBe(name);
  });

  it('are names without what a field in a shadow tree hides', async () => {
    document.body.innerHTML = '<button></button><div></div><p></p>';
    all('div')[0]!.attachShadow({ mode: 'open' }).innerHTML = '<input autocomplete="one-time-code" value="9876">';
    const closed = all('p')[0]!.attachShadow({ mode: 'closed' });
    closed.innerHTML = '<input autocomplete="one-time-code" value="5432">';
    expect(await nameIn([all('button')[0]!, closed.firstElementChild!], 'Go 9876 5432')).toBe('Go •••••• ••••••');
  });

  describe('while the page goes on', () => {
    const secret = (html: string): HTMLInputElement => {
      document.body.innerHTML = `<button></button>${html}<input value="Ann">`;
      return document.querySelector<HTMLInputElement>('input, textarea')!;
    };
    const CODE = '<input autocomplete="one-time-code" value="7654">';
    it.each<[string, string, (field: HTMLInputElement) => void]>([
      ['a field that is emptied', CODE, (field) => (field.value = '')],
      ['a field that is removed', CODE, (field) => field.remove()],
      ['a field that is removed with what is around it', `<p>${CODE}</p>`, (field) => field.parentElement!.remove()],
      ['a field that stops to hide its value', CODE, (field) => field.removeAttribute('autocomplete')],
      ['a password that is shown', '<input type="password" value="7654">', (field) => (field.type = 'text')],
      ['a password that is shown for a moment', '<input type="password" value="7654">', (field) => ((field.type = 'text'), (field.type = 'password'))],
      ['a text that is a password for a moment', '<input value="7654">', (field) => ((field.type = 'password'), (field.type = 'text'))],
      ['a text that is a code for a moment', '<input value="7654">', (field) => (field.setAttribute('autocomplete', 'one-time-code'), field.removeAttribute('autocomplete'))],
      ['a password that is removed', '<input type="password" value="7654">', (field) => field.remove()],
      ['a password that comes', '<i></i>', () => document.querySelector('i')!.replaceWith(Object.assign(document.createElement('input'), { type: 'password', value: '7654' }))],
      ['a code that comes and goes', '<i></i>', () => {
        document.querySelector('i')!.innerHTML = CODE;
        document.querySelector('i')!.replaceChildren();
      }],
    ])('names hold nothing of %s', async (_, html, meanwhile) => {
      const field = secret(html);
      expect(await nameIn(all('button'), 'Go 7654, Ann', { meanwhile: () => meanwhile(field) })).toBe('Go ••••••, Ann');
    });

    it.each<[string, string, (field: HTMLInputElement) => void]>([
      ['a password that is shown', '<input type="password" value="7654">', (field) => (field.type = 'text')],
      ['a text that is a password for a moment', '<input value="7654">', (field) => ((field.type = 'password'), (field.type = 'text'))],
      ['a field that stops to hide its value', CODE, (field) => field.setAttribute('autocomplete', 'off')],
    ])('the value is not told of %s', async (_, html, meanwhile) => {
      const field = secret(html);
      expect(await reading([field], { meanwhile: () => meanwhile(field) })).toMatchObject([{ value: '*', hidden: true }]);
    });

    it('of what has left the document there is no line, and names hold nothing of what it held', async () => {
      secret('<p><input value="7654"></p>');
      const elements = [...all('button'), ...all('p input')];
      const read = await reading(elements, { names: ['Go 7654, 31'], values: ['', '7654'], vanished: ['31'], meanwhile: () => all('p')[0]!.remove() });
      expect([read[0]?.name, read[1]]).toEqual(['Go ••••••, ••••••', null]);
    });

    it('a password that stays one is left to the dots of the browser, however many', async () => {
      secret('<input type="password" value="Go">');
      expect(await nameIn(all('button'), 'Go •••••••••', { meanwhile: () => undefined })).toBe('Go ••••••');
    });
  });

  describe('of a field without a line', () => {
    // The layout of the tests shows everything; what is told is what counts.
    it.each([
      ['by its id', '<input type="password" value="hunter2" hidden id="x"><button aria-labelledby="y x">'],
      ['by the id of what is around it', '<p id="x"><i><input type="password" value="hunter2" hidden></i></p><button aria-labelledby="x">'],
      ['by a part of it', '<input type="password" value="hunter2" hidden id="x"><button><i aria-labelledby="x">'],
      ['by a label', '<label for="b">Pay <input type="password" value="hunter2" hidden></label><button id="b">'],
      ['by a label that names', '<input type="password" value="hunter2" hidden id="x"><label for="b"><i aria-labelledby="x"></i></label><button id="b">'],
      ['by what it owns', '<input type="password" value="hunter2" hidden id="x"><button aria-owns="x">'],
      ['that is spelled out', '<input type="month" autocomplete="cc-exp" value="2027-05" hidden id="x"><button aria-labelledby="x">'],
      ['that is an editor', '<textarea autocomplete="one-time-code" hidden id="x">12</textarea><button aria-labelledby="x">'],
    ])('names hold nothing that is taken %s', async (_, html) => {
      document.body.innerHTML = html;
      expect(await nameIn(all('button'), 'hunter2 of May 2027')).toBe('••••••');
    });

    it.each([
      ['is a line itself', '<input type="password" value="hunter2" id="x"><button aria-labelledby="x">', 'button, input'],
      ['is empty', '<input type="password" hidden id="x"><button aria-labelledby="x">', 'button'],
      ['hides nothing', '<input value="hunter2" hidden id="x"><button aria-labelledby="x">', 'button'],
      ['is only inside', '<button><input type="password" value="hunter2" hidden></button>', 'button'],
      ['is named by others', '<label for="x" id="l">Pay</label><input type="password" value="hunter2" hidden id="x"><button aria-labelledby="l">', 'button'],
    ])('names are as they are where it %s', async (_, html, lines) => {
      document.body.innerHTML = html;
      expect(await nameIn(all(lines), 'Pay')).toBe('Pay');
    });

    it('names hold nothing of one in a closed root that the browser told of', async () => {
      document.body.innerHTML = '<p id="x"></p><button aria-labelledby="x"></button>';
      const root = all('p')[0]!.attachShadow({ mode: 'closed' });
      root.innerHTML = '<span></span>';
      const inner = root.querySelector('span')!.attachShadow({ mode: 'open' });
      inner.innerHTML = '<input autocomplete="one-time-code" value="7654">';
      expect(await nameIn(all('button'), 'Go 7654')).toBe('Go 7654');
      expect(await nameIn(all('button'), 'Go 7654', { closed: [root.firstChild!, root.firstChild!] })).toBe('••••••');
    });

    it('names hold nothing of one in a closed root that went meanwhile', async () => {
      document.body.innerHTML = '<p></p><button></button>';
      const root = all('p')[0]!.attachShadow({ mode: 'closed' });
      root.innerHTML = '<input autocomplete="one-time-code" value="7654">';
      expect(await nameIn(all('button'), 'Go 7654', { closed: [root.firstChild!], meanwhile: () => all('p')[0]!.remove() })).toBe('Go ••••••');
    });
  });

  it('are names without what the tree says that such a field holds', async () => {
    document.body.innerHTML = '<button></button><input type="month" autocomplete="cc-exp" value="2027-05"><input value="Ann">';
    const [button, exp, name] = [...all('button'), ...all('input')];
    expect(await nameIn([button!, exp!, name!], 'Go May 2027, Ann', { values: ['', 'May  2027', 'Ann'] })).toBe('Go ••••••, Ann');
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

    it('are neither names nor values of what is in it', async () => {
      document.body.innerHTML = '<div contenteditable autocomplete="one-time-code"><p><a href="#">765</a></p></div><div contenteditable><a href="#">note</a></div>';
      const given = await reading(all('a'), { names: ['765', 'note'] });
      expect(given).toMatchObject([{ name: '', hidden: true }, { name: 'note', hidden: false }]);
    });

    it.each([
      ['contenteditable autocomplete="cc-exp"', 'Go ••••••'],
      ['contenteditable', 'Go May'],
      ['autocomplete="cc-exp"', 'Go May'],
    ])('are names without what a part of it says: %s', async (attributes, name) => {
      document.body.innerHTML = `<button></button><p ${attributes}></p>`;
      const parts = all('p')[0]!.attachShadow({ mode: 'closed' });
      parts.innerHTML = '<b>May</b>';
      expect(await nameIn([all('button')[0]!, parts.firstElementChild!], 'Go May', { values: ['', '5'] })).toBe(name);
    });
  });

  it('is where the document is', async () => {
    document.title = 'T';
    expect((new Function(`return (${whereAmI.toString()})()`) as () => unknown)()).toEqual({ origin: location.origin, url: location.href, title: 'T' });
  });
});
