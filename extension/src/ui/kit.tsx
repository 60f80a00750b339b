/** Small parts that all pages are made of. Foreign text is passed as children, so it is text. */
import type { ReactNode } from 'react';
import { t } from '../i18n';

export type Tone = 'live' | 'on' | 'wait' | 'stop' | 'mute';

export const Pill = ({ tone, children }: { tone: Tone; children: ReactNode }) => <span className={`pill ${tone}`}>{children}</span>;

export const Card = ({ tone, title, children }: { tone?: 'wait' | 'stop'; title?: ReactNode; children: ReactNode }) => (
  <section className={`card stack ${tone ?? ''}`}>
    {title === undefined ? null : <h2>{title}</h2>}
    {children}
  </section>
);

/** There before its text, so that a screen reader announces what comes into it. */
export const Alert = ({ children }: { children?: ReactNode }) => (
  <p role="alert" className={children ? 'wrap' : 'hidden-text'}>
    {children}
  </p>
);

export interface Hop {
  name: string;
  tone: Tone;
  state: string;
}

export const Pipeline = ({ hops }: { hops: Hop[] }) => (
  <ul className="pipeline" aria-label={t('pipeline.label')}>
    {hops.map((hop) => (
      <li key={hop.name} className={`hop ${hop.tone}`}>
        <b>{hop.name}</b>
        {hop.state}
      </li>
    ))}
  </ul>
);

/** The host of an entry or origin, for a button that has no room for more. */
export function hostOf(address: string): string {
  try {
    return new URL(address.replace(/\/\*$/, '/')).host;
  } catch {
    return address;
  }
}
