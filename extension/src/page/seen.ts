/** What the step at work has found out about the trees of the document. */
import { cell } from '../cell';

export interface Survey {
  documents: Document[];
  /** Elements with a shadow tree, a slot, a frame or a secret in them or on them: `innerText` does not do for these. */
  special: Set<Element>;
  /** Editors whose text is a value that must not be shown. */
  secrets: Set<Element>;
  /** Elements by the number that their attribute claims, in tree order. */
  carriers: Map<number, Element[]>;
  /** `label[for]` of a tree by id, made when first asked for. */
  labels: Map<Node, Map<string, Element[]>>;
  /** Elements of a tree in which something is called otherwise than its text, made when first asked for. */
  rich: Map<Node, Set<Element>>;
  /** What is assigned where in a closed tree, made when first asked for. */
  slots: Map<ShadowRoot, Map<Node, Element>>;
}

export const unseen = (): Survey => ({ documents: [document], special: new Set(), secrets: new Set(), carriers: new Map(), labels: new Map(), rich: new Map(), slots: new Map() });

/** Of the step at work: whoever uses it called `survey` since anything else could run. */
export const seen = cell(unseen);
