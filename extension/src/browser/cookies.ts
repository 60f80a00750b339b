/**
 * Cookies of the browser's own store. Under a host permission with a port `getAll` returns nothing,
 * since the URL of a cookie has none; our permissions carry no port.
 */
import { browser } from 'wxt/browser';

export interface Cookie {
  name: string;
  value: string;
  domain: string;
  path: string;
  httpOnly: boolean;
  secure: boolean;
  sameSite: string;
  session: boolean;
  expirationDate?: number;
}

export async function getCookies(filter: { url?: string; domain?: string; name?: string }): Promise<Cookie[]> {
  return browser.cookies.getAll(filter);
}
