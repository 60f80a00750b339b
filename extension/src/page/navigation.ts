/** New documents that a click sets off. */
import { cell } from '../cell';
import type { PageData } from '../page-channel';
import { reaches } from './frames';
import { later, listen, unlisten, viewOf } from './natives';
import { refuse } from './refusals';
import { seen } from './seen';
import { wellFormed } from './text';

/** Of the Navigation API, what is used here. */
interface NavigateLike extends Event {
  readonly destination: { readonly url: string; readonly sameDocument: boolean };
  readonly downloadRequest: string | null;
  readonly signal: AbortSignal;
}
interface NavigationLike extends EventTarget {
  readonly transition: object | null;
}

interface Announced {
  event: NavigateLike;
  doc: Document;
  intercepted: boolean;
}

/** Documents that a click set off to replace, by the number that `_gone` asks for. */
const leaving = cell((): Array<WeakRef<Document>> => []);

const ownDocuments = /^(https?|about|blob|data|file|filesystem):/i;

/** Listens for new documents on the windows of all documents of the instance. */
export function watchNavigation(): { list: Announced[]; stop: () => void } {
  const list: Announced[] = [];
  const stops: Array<() => void> = [];
  for (const doc of seen.get().documents) {
    const navigation = (viewOf(doc) as unknown as { navigation?: NavigationLike } | null)?.navigation;
    if (navigation === undefined) continue;
    let last: Announced | null = null;
    const onNavigate = (e: Event): void => {
      const event = e as NavigateLike;
      const entry: Announced = { event, doc, intercepted: false };
      list.push(entry);
      last = entry;
      void Promise.resolve().then(() => {
        if (navigation.transition !== null) entry.intercepted = true;
      });
    };
    // A document that stays commits an intercepted navigation as an entry of its own.
    const onEntry = (): void => {
      if (last !== null) last.intercepted = true;
    };
    listen(navigation, 'navigate', onNavigate);
    listen(navigation, 'currententrychange', onEntry);
    stops.push(() => {
      unlisten(navigation, 'navigate', onNavigate);
      unlisten(navigation, 'currententrychange', onEntry);
    });
  }
  return { list, stop: () => stops.forEach((s) => s()) };
}

export function whatWasAnnounced(list: Announced[]): Omit<PageData<'page_click'>, 'role'> {
  const data: Omit<PageData<'page_click'>, 'role'> = {};
  for (const { event, doc, intercepted } of list) {
    if (event.defaultPrevented || intercepted || event.destination.sameDocument) continue;
    const url = wellFormed(event.destination.url);
    if (event.downloadRequest !== null && event.downloadRequest !== undefined) {
      data.download = { url, ...(event.downloadRequest === '' ? {} : { filename: wellFormed(event.downloadRequest) }) };
    } else if (!event.signal.aborted && ownDocuments.test(url)) {
      data.announced = doc === document ? { url } : { url, frame: leaving.get().push(new WeakRef(doc)) - 1 };
    }
  }
  return data;
}

/** Until the document of a frame that a click set off to replace is gone. */
export async function gone(frame: number | undefined, alive: () => void): Promise<PageData<'_gone'>> {
  if (frame !== undefined && leaving.get()[frame] === undefined) throw refuse('no such document: take a new page_snapshot');
  const doc = frame === undefined ? document : leaving.get()[frame]?.deref();
  if (doc === undefined) return {};
  while (viewOf(doc) !== null && (doc === document || reaches(doc))) {
    await new Promise<void>((resolve) => {
      const view = viewOf(doc);
      const done = (): void => {
        if (view !== null) unlisten(view, 'pagehide', done);
        resolve();
      };
      if (view !== null) listen(view, 'pagehide', done);
      void later(done, 100);
    });
    alive();
  }
  return {};
}
