import { browser } from 'wxt/browser';

/** Whether the user lets us at files: a switch on the browser's page of extensions. */
export const mayReadFiles = (): Promise<boolean> => browser.extension.isAllowedFileSchemeAccess();
