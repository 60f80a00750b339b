import { browser } from 'wxt/browser';

export async function ensureAlarm(name: string, periodInMinutes: number): Promise<void> {
  if ((await browser.alarms.get(name)) === undefined) await browser.alarms.create(name, { periodInMinutes });
}

export function onAlarm(name: string, listener: () => void): void {
  browser.alarms.onAlarm.addListener((alarm) => {
    if (alarm.name === name) listener();
  });
}
