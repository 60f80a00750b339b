/**
 * Enrollment of an authenticator from the options page (extension.md 15; control.md 7.6). The host is
 * the relying party; what is stored here is a note for the page and is judged by nobody.
 */
import { BrowserRevokeResult, EnrollOptions, EnrollResult } from '@contract/frames';
import { b64url } from '@contract/kit';
import type { Clock } from '../clock';
import { messageOf } from '../errors';
import { hasExactly, isTime, type TrustStore } from '../gate/keys';
import { createExchange } from '../link/exchange';
import type { Connection, Frame } from '../link/port';
import type { EnrollBeginView, EnrollmentNote } from '../messages';
import { valueOf, type Act, type Presence } from './presence';

export const NOTE_KEY = 'webauthnEnrollment';
const CredentialId = b64url(16, 1023);

export interface WebAuthn {
  begin(): Promise<EnrollBeginView>;
  finish(attestationObject: string, clientDataJson: string): Promise<{ credentialId: string }>;
  note(): Promise<EnrollmentNote>;
  forget(): Promise<void>;
  onAttach(): void;
  onDetach(): void;
  /** False: the frame answers nothing that was asked. */
  onFrame(frame: Frame): boolean;
}

export interface WebAuthnOptions {
  store: TrustStore;
  clock: Clock;
  lane(): Connection | null;
  presence: Presence;
  log(message: string): void;
}

export function createWebAuthn({ store, clock, lane, presence, log }: WebAuthnOptions): WebAuthn {
  const enrolling = createExchange(clock);
  const revoking = createExchange(clock);

  function goodOf(result: EnrollResult): Extract<EnrollResult, { ok: true }> {
    if (!result.ok) throw new Error(result.reason);
    return result;
  }

  /** The approval of a further credential; nothing follows it but the next begin. */
  const enroll: Act = {
    exchange: enrolling,
    replies: ['enroll_options', 'enroll_result'],
    result: null,
    settle(frame) {
      if (frame.type !== 'enroll_options') goodOf(EnrollResult.parse(frame));
    },
  };

  return {
    async begin() {
      const started = await presence.start(enroll, { type: 'enroll_begin' });
      if ('request' in started) return { state: 'presence', request: started.request };
      const options = EnrollOptions.safeParse(started.answer);
      if (!options.success) throw new Error('failed');
      const { challenge, nonce, user_id, user_name, exclude_credential_ids } = options.data;
      return {
        state: 'options',
        options: {
          challenge,
          nonce,
          userId: user_id,
          userName: user_name,
          excludeCredentialIds: exclude_credential_ids,
        },
      };
    },

    async finish(attestationObject, clientDataJson) {
      const frame = { type: 'enroll_finish', attestation_object: attestationObject, client_data_json: clientDataJson };
      const result = valueOf(await enrolling.ask(lane(), { frame, replies: ['enroll_result'], read: (f) => EnrollResult.parse(f) }));
      const { credential_id: credentialId } = goodOf(result);
      // The host has it; a note that could not be written changes nothing.
      await store
        .write({ [NOTE_KEY]: { credentialId, enrolledAt: clock.now() } })
        .catch((error: unknown) => log(`the note of the enrollment: ${messageOf(error)}`));
      return { credentialId };
    },

    async note() {
      const value = (await store.read([NOTE_KEY]))[NOTE_KEY];
      if (value === undefined) return { state: 'none' };
      if (!hasExactly(value, ['credentialId', 'enrolledAt']) || !isTime(value.enrolledAt)) return { state: 'unreadable' };
      const id = CredentialId.safeParse(value.credentialId);
      return id.success ? { state: 'enrolled', credentialId: id.data, enrolledAt: value.enrolledAt } : { state: 'unreadable' };
    },

    async forget() {
      const result = valueOf(
        await revoking.ask(lane(), {
          frame: { type: 'browser_revoke' },
          replies: ['browser_revoke_result'],
          read: (f) => BrowserRevokeResult.parse(f),
        }),
      );
      const reason = result.ok ? null : result.reason;
      // Either way there is none by now.
      if (reason === null || /^not_enrolled(: |$)/.test(reason)) await store.remove([NOTE_KEY]);
      if (reason !== null) throw new Error(reason);
    },

    onAttach() {
      enrolling.onAttach();
      revoking.onAttach();
    },
    onDetach() {
      enrolling.onDetach();
      revoking.onDetach();
    },
    onFrame: (frame) => enrolling.offer(frame) || revoking.offer(frame),
  };
}
