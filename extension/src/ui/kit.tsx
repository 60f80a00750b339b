/** Small parts that all pages are made of. Foreign text is passed as children, so it is text. */
import { Fragment, type ReactNode } from 'react';
import { t, type MessageKey } from '../i18n';
import { UNSEEN_EXACT, UNSEEN_TEXT } from '../text';

export type Tone = 'live' | 'on' | 'wait' | 'stop' | 'mute';

export const Mark = () => (
  <svg className="mark" viewBox="0 0 32 32" aria-hidden="true">
    <rect width="32" height="32" rx="8" className="mark-wall" />
    <path className="mark-gate" d="M5 8q11 2.2 22 0v3.4H5zm3 5h16v2.6H8zM8.6 9h3v17h-3zm11.8 0h3v17h-3z" />
    <path className="mark-door" d="M13 15.6h6V26h-6z" />
  </svg>
);

/** What stands between backquotes is something to type. */
const typed = (text: string): ReactNode => text.split('`').map((part, i) => (i % 2 === 0 ? part : <code key={i}>{part}</code>));

/** A text of ours. */
export const Words = ({ of, subs }: { of: MessageKey; subs?: string[] }) => <>{typed(t(of, subs))}</>;

export const Pill = ({ tone, children }: { tone: Tone; children: ReactNode }) => <span className={`pill ${tone}`}>{children}</span>;

export const Card = ({ tone, title, aside, id, children }: { tone?: 'wait' | 'stop'; title?: ReactNode; aside?: ReactNode; id?: string; children?: ReactNode }) => (
  <section id={id} className={`card stack ${tone ?? ''}`}>
    {title === undefined ? null : (
      <div className="row spread">
        <h2 className="wrap">{title}</h2>
        {aside}
      </div>
    )}
    {children}
  </section>
);

/** Which part of the way does not answer, what to do, and what the host says of it. */
export const BrokenHop = ({ broken: { text, why } }: { broken: { text: MessageKey; why: string } }) => (
  <>
    <p className="small wrap">
      <Words of={text} />
    </p>
    {why === '' ? null : (
      <p className="soft small wrap">
        <Foreign>{why}</Foreign>
      </p>
    )}
  </>
);

/** There before its text, so that a screen reader announces what comes into it. */
export const Alert = ({ children, id }: { children?: ReactNode; id?: string }) => (
  <p role="alert" id={id} className={children ? 'alert wrap' : 'hidden-text'}>
    {typeof children === 'string' ? typed(children) : children}
  </p>
);

export interface Hop {
  name: string;
  tone: Tone;
  state: string;
  /** The gate at which something is held for the person. */
  held?: boolean;
}

export const Pipeline = ({ hops }: { hops: Hop[] }) => (
  <ul className="pipeline" aria-label={t('pipeline.label')}>
    {hops.map((hop) => (
      <li key={hop.name} className={`hop ${hop.tone}`} aria-current={hop.held ? 'step' : undefined}>
        <b>{hop.name}</b>
        <span>{hop.state}</span>
      </li>
    ))}
  </ul>
);

/** Sixteen blocks of four, in the order in which the terminal prints them. */
export const Fingerprint = ({ keyId }: { keyId: string }) => (
  <p className="fingerprint mono">
    {(keyId.match(/.{4}/g) ?? []).map((block, i) => (
      <Fragment key={i}>
        <span>{block}</span>{' '}
      </Fragment>
    ))}
  </p>
);

const runsOf = (one: string): RegExp => new RegExp(`(${one})(\\1*)`, 'gu');
const IN_TEXT = runsOf(UNSEEN_TEXT);
const EXACT = runsOf(UNSEEN_EXACT);
/** They end a line of code, and a comment with it, but no line of a page. */
const ENDS_LINE = '\r\u2028\u2029';

function seen(text: string, unseen: RegExp): ReactNode[] {
  const parts: ReactNode[] = [];
  let at = 0;
  for (const found of text.matchAll(unseen)) {
    const [run, one = ''] = found;
    const number = `U+${(one.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
    const times = run.length / one.length;
    if (found.index > at) parts.push(text.slice(at, found.index));
    parts.push(
      <span key={found.index} className="unseen">
        {times === 1 ? number : `${number}×${times}`}
      </span>,
    );
    if (unseen === EXACT && ENDS_LINE.includes(one)) parts.push('\n');
    at = found.index + run.length;
  }
  if (at < text.length) parts.push(text.slice(at));
  return parts;
}

/**
 * What others wrote: text nodes, a direction of its own, and nothing in it that cannot be seen. `exact`
 * is for what counts to the letter, such as code.
 */
export const Foreign = ({ children, className, exact = false }: { children: string; className?: string; exact?: boolean }) => (
  <bdi dir={exact ? 'ltr' : 'auto'} className={className}>
    {seen(children, exact ? EXACT : IN_TEXT)}
  </bdi>
);

/** The host of an entry or origin, with its port. */
export function hostOf(address: string): string {
  try {
    return new URL(address.replace(/\/\*$/, '/')).host || address;
  } catch {
    return address;
  }
}

/**
 * A host where there is no room for all of it. What is left out comes from the front: the end says
 * whose host it is, and the front can be anything. The whole address always stands next to it.
 */
export function hostTail(address: string, room: number): string {
  const host = hostOf(address);
  if (host.length <= room) return host;
  // The joiner keeps the dots on the line of what they stand for. Cutting at a label would look tidier
  // and could leave nothing but a public suffix.
  return `…\u2060${host.slice(host.length - room + 1)}`;
}
