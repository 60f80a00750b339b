/**
 * The page half's end of the channel (page-channel.ts): injected into a document at most once, it
 * parses each message, calls the method of that name and sends back what it returns.
 */
import { defineUnlistedScript } from 'wxt/utils/define-unlisted-script';
import { listen, rootOf } from '../browser/page';
import { createPageApi } from '../page/create-page-api';
import { showToast } from '../page/toast';
import { answer } from '../page-answer';
import { PRECISE_ATTR, REF_ATTR } from '../page-channel';

export default defineUnlistedScript(() => {
  // A global of the isolated world: pages cannot see it, and it dies with the document. An element of
  // that name would be handed out in its place, hence the comparison.
  const world = globalThis as { genkanPage?: true };
  if (world.genkanPage === true) return;
  world.genkanPage = true;
  const api = createPageApi(REF_ATTR, PRECISE_ATTR, rootOf);
  const token = crypto.randomUUID();
  listen((message) => answer(api, token, showToast, message));
});
