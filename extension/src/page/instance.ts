/** What the instance in this document was made with. */
import { cell } from '../cell';

interface Instance {
  /** The attributes that carry refs: of the outline, and of the precise one. */
  refAttr: string;
  preciseAttr: string;
  rootOf: (element: Element) => ShadowRoot | null;
}

export const instance = cell<Instance>(() => ({ refAttr: '', preciseAttr: '', rootOf: () => null }));
