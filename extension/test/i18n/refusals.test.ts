import { REFUSALS } from '@contract/refusals';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { resetCells } from '../../src/cell';
import { initLanguage } from '../../src/i18n';
import { LANGUAGES } from '../../src/i18n/names';
import { refusalText } from '../../src/i18n/refusals';
import { say } from '../../src/ui/say';
import { bundle, fake, fetchBundle } from '../ui/browser';

vi.mock('../../src/browser/runtime', async () => (await import('../ui/browser')).runtime);
vi.mock('../../src/browser/storage', async () => (await import('../ui/browser')).storage);
vi.mock('../../src/browser/i18n', async () => (await import('../ui/browser')).i18n);

beforeEach(async () => {
  fake.reset();
  resetCells();
  vi.stubGlobal('fetch', fetchBundle);
  await initLanguage();
});

describe('refusals', () => {
  it('are the 42 of the roster', () => {
    expect(REFUSALS).toHaveLength(42);
  });

  it.each(LANGUAGES)('each has a sentence of its own in %s', (language) => {
    const texts = REFUSALS.map((code) => bundle(language)[`refusal.${code}`]);
    expect(new Set(texts).size).toBe(42);
    for (const text of texts) expect(text).toMatch(/[.\u3002]$/);
  });

  it('a bare code is its sentence', () => {
    expect(refusalText('declined')).toBe('It was declined.');
    expect(say('declined')).toBe('It was declined.');
  });

  it('a detail stands behind the sentence, split at the first colon', () => {
    expect(refusalText('store_error: trust.json: line 1: no JSON')).toBe('The host could not read or write its trust record. trust.json: line 1: no JSON');
  });

  it.each(['', 'declined:no space', 'Declined', 'toString', 'constructor: x', 'no such code: detail', 'the frame presence_confirm is malformed'])('"%s" is none', (text) => {
    expect(refusalText(text)).toBeNull();
    expect(say(text)).toBe(text);
  });

  it.each([
    ['not-connected', 'The host is not connected.'],
    ['busy', 'Another request of this kind is still open. Try again in a moment.'],
    ['post-failed', 'The request did not reach the host.'],
    ['timed-out', 'The host did not answer in time.'],
    ['detached', 'The connection to the host ended before it answered.'],
    ['failed', "The host's answer could not be understood."],
  ])('an exchange that ended as %s is said so', (code, text) => {
    expect(say(code)).toBe(text);
  });
});
