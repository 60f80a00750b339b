/** The signed policy document, parsed strictly from its exact bytes (control.md 4.3). */
import { PolicyDocument } from '@contract/policy';

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]:,]|[^\s{}[\]:,"]+/g;
const UINT = /^(?:0|[1-9][0-9]*)$/;

/** What `JSON.parse` forgives: a member that stands twice, and numbers that are no plain integers. */
function isPlain(text: string): boolean {
  const members = new Set<string>();
  let depth = 0;
  let last = '';
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth -= 1;
    else if (token === ':' && depth === 1) {
      const name = JSON.parse(last) as string;
      if (members.has(name)) return false;
      members.add(name);
    } else if (/^[-0-9]/.test(token) && !UINT.test(token)) return false;
    last = token;
  }
  return true;
}

/** Null for anything that is not exactly such a document. */
export function parseDocument(bytes: Uint8Array): PolicyDocument | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    const parsed = PolicyDocument.safeParse(JSON.parse(text));
    return parsed.success && isPlain(text) ? parsed.data : null;
  } catch {
    return null;
  }
}
