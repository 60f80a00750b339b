// What index.d.ts promises, as the compiler sees it: compiled, never run.
import genkan, { Client, Context, GenkanError, ToolError, machines, native,
  policy, trust, webauthn } from 'genkan';
import type { ErrorCode, ToolCode } from 'genkan';

async function use(): Promise<void> {
  const context = new Context({ log: (level, tag) => void `${level} ${tag}` });
  const client: Client = await Client.connect({ context,
    signal: AbortSignal.timeout(1000) });
  const tabs = await client.call('tab_list', {}, { timeout: 5000 });
  const result = await client.request('page_snapshot', { tabId: tabs[0].id });
  const text: string | null = result.text;
  try {
    await client.call('a_tool_of_tomorrow');
  } catch (e) {
    if (e instanceof ToolError) {
      const code: ToolCode = e.code;
      if (code === 'TAB_NOT_FOUND') return;
      // @ts-expect-error no such code
      if (code === 'TAB_NOT_FUND') return;
    } else if (e instanceof GenkanError) {
      const code: ErrorCode = e.code;
      void code;
    }
  }
  const frames: Buffer[] = new native.Decoder({ max: 5 }).feed(Buffer.of(1));
  const report = await policy.show();
  const lines: string[] = report.lines;
  await trust.pair({ name: 'x', hash: '' });
  // @ts-expect-error a language that there is not
  await policy.setLanguage('tlh');
  const rp = new webauthn.RelyingParty({ id: 'a', origin: 'b' });
  const challenge: string = rp.challenge();
  const store: machines.Store = { load: (record) => record === 'trust' ?
    Buffer.from('{}') : null, version: () => 1 };
  const broker = new machines.Broker({ secret: '', store });
  const many: Buffer | null = broker.accept({ sameUser: true }).gather(4096);
  // @ts-expect-error a promise is no record
  new machines.Server({ store: { load: async () => null } });
  void many;
  genkan.libraryVersion();
  void [text, frames, lines, challenge];
}
void use;
