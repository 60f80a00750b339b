/** What the host was asked for, or why there is no answer. */
import type { ReactNode } from 'react';
import { t } from '../../i18n';
import { Alert } from '../kit';
import { say } from '../say';

interface Props<T> {
  up: boolean;
  asked: { data: T | null; error: string | null; again: () => void };
  /** Of the button that asks again. */
  act: string;
  children: (data: T) => ReactNode;
}

export function HostAnswer<T>({ up, asked, act, children }: Props<T>) {
  const { data, error, again } = asked;
  return (
    <>
      {up ? null : <p className="soft small">{t('exchange.not_connected')}</p>}
      {up && data !== null ? children(data) : null}
      <Alert>{up && error !== null ? say(error) : undefined}</Alert>
      {up && error !== null ? (
        <div>
          <button data-act={act} className="slim" onClick={again}>
            {t('error.again')}
          </button>
        </div>
      ) : null}
    </>
  );
}
