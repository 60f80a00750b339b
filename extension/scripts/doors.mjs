// Where what others wrote comes in, and what it goes through before anything believes it. Checked in both
// directions by lint.mjs: a place that is not named here fails, and so does one that is named and no longer
// reads, or whose function does not call its parser.
//
// [file, function, what comes in, parser]. Parsers are schemas (`X.safeParse`, `X.parse`) or the declared
// readers of records, which say for each malformed one what it means. A fifth entry names the function that
// parses what this one only hands on to it: it has to get from there both to it and to the parser.
export const DOORS = [
  // Records of storage.
  ['src/gate/serving.ts', 'readPosture', 'storage', 'derivePosture'],
  ['src/gate/kill.ts', 'persist', 'storage', 'readMirror'],
  ['src/gate/kill.ts', 'mirrored', 'storage', 'readMirror'],
  ['src/gate/kill.ts', 'mayBeStale', 'storage', 'readMirror'],
  ['src/gate/allowlist.ts', 'entries', 'storage', 'readEntries'],
  ['src/gate/allowlist.ts', 'storedAll', 'storage', 'readFlag'],
  ['src/trust/audit.ts', 'flush', 'storage', 'readRing'],
  ['src/trust/audit.ts', 'list', 'storage', 'readRing'],
  ['src/trust/language.ts', 'stored', 'storage', 'readLanguage'],
  ['src/trust/pairing.ts', 'read', 'storage', 'readPin'],
  ['src/trust/pairing.ts', 'notes', 'storage', 'readNote'],
  ['src/trust/policy.ts', 'read', 'storage', 'readPin'],
  ['src/trust/policy.ts', 'commit', 'storage', 'readPolicyState'],
  ['src/trust/webauthn.ts', 'note', 'storage', 'CredentialId.safeParse'],
  ['src/worker/settings.ts', 'readSettings', 'storage', 'salvage'],
  ['src/worker/settings.ts', 'migrate', 'storage', 'salvage'],
  ['src/i18n/index.ts', 'load', 'storage', 'isLanguage'],
  ['src/ui/ask.ts', 'load', 'storage', 'readSetting'],
  ['src/ui/ask.ts', 'look', 'storage', 'readPendingRows'],
  // Messages between our pages and the worker, and between the worker and what it put into pages.
  ['src/browser/runtime.ts', 'send', 'answer', 'RuntimeEnvelope.safeParse'],
  ['src/worker/router.ts', 'createRouter', 'message', 'RuntimeMessage.safeParse'],
  ['src/page-answer.ts', 'answer', 'message', 'ToPage.safeParse'],
  ['src/ops/page-call.ts', 'ping', 'answer', 'PageReply.safeParse'],
  ['src/ops/page-call.ts', 'send', 'answer', 'readReply'],
  ['src/ops/page-call.ts', 'gone', 'answer', 'PageReply.safeParse'],
  // What code in a page gave back.
  ['src/ops/frames.ts', 'discover', 'script', 'Facts.safeParse'],
  ['src/ops/target.ts', 'aimAtFrame', 'script', 'Origin.safeParse'],
  ['src/ops/history.ts', 'step', 'script', 'Stepped.safeParse'],
  ['src/ops/eval.ts', 'evaluate', 'script', 'Answer.safeParse', 'pageEval'],
  // What the debugger gave back.
  ['src/ops/cdp-call.ts', 'make', 'Runtime.evaluate', 'Made.safeParse'],
  ['src/ops/cdp-call.ts', 'invoke', 'Runtime.callFunctionOn', 'Answered.safeParse', 'inTab'],
  ['src/ops/eval.ts', 'once', 'Runtime.evaluate', 'Remote.safeParse'],
  ['src/ops/history.ts', 'stepByDebugger', 'Page.getNavigationHistory', 'Entries.safeParse'],
  ['src/ops/precise.ts', 'aim', 'Page.getFrameTree', 'read'],
  ['src/ops/precise.ts', 'aim', 'Page.createIsolatedWorld', 'read'],
  ['src/ops/precise.ts', 'look', 'Runtime.evaluate', 'read'],
  ['src/ops/precise.ts', 'hiddenIn', 'Runtime.evaluate', 'read'],
  ['src/ops/precise.ts', 'inClosedTrees', 'DOMSnapshot.captureSnapshot', 'read'],
  ['src/ops/precise.ts', 'outline', 'Runtime.callFunctionOn', 'valueOf'],
  ['src/ops/precise.ts', 'resolve', 'DOM.resolveNode', 'Resolved.safeParse'],
  ['src/ops/precise.ts', 'frameIds', 'DOM.describeNode', 'Described.safeParse'],
  ['src/ops/precise.ts', 'stamp', 'Runtime.callFunctionOn', 'read'],
  ['src/ops/precise.ts', 'outline', 'Accessibility.getFullAXTree', 'read'],
  ['src/ops/shot.ts', 'capture', 'Page.captureScreenshot', 'Captured.safeParse', 'byDebugger'],
  ['src/ops/upload.ts', 'put', 'DOM.getDocument', 'Root.safeParse'],
  ['src/ops/upload.ts', 'put', 'DOM.querySelector', 'Found.safeParse'],
  ['src/ops/upload.ts', 'put', 'DOM.describeNode', 'Described.safeParse'],
  // Frames of the native host.
  ['src/ops/parse.ts', 'createParser', 'frame', 'BridgeRequest.safeParse'],
];
