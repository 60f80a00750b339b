// The least that an extension can do: one message to a native host and back, one script in a page.
// The benchmark calls these from outside; what counts is the time between the two looks at the clock. Each
// begins at rest, as the calls that it is compared with do.
const port = chrome.runtime.connectNative('com.vivswan.genkan.floor');
let heard = () => {};
port.onMessage.addListener(() => heard());

const rest = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

globalThis.echo = async (ms, payload) => {
  await rest(ms);
  const from = performance.now();
  const back = new Promise((resolve) => {
    heard = resolve;
  });
  port.postMessage({ payload });
  await back;
  return performance.now() - from;
};

globalThis.script = async (ms, tabId) => {
  await rest(ms);
  const from = performance.now();
  await chrome.scripting.executeScript({ target: { tabId }, func: () => document.title });
  return performance.now() - from;
};

globalThis.tabAt = async (url) => (await chrome.tabs.query({})).find((tab) => tab.url === url)?.id;
