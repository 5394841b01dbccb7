import type { PathElement } from './path-element.ts'

/**
 * A set of paths, as a trie that is also its serialized form (FieldsV1): the members of a node are the next path elements, sorted. A path is in the set if its
 * node is empty or has the member `.`; other nodes only lead to deeper paths. The empty root is the empty set. Sets are immutable and share nodes.
 * https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management
 */
export type FieldSet = { readonly [element: PathElement]: FieldSet }

/** The empty set; as a node: a path that is in the set, with nothing below. */
export const EMPTY: FieldSet = Object.freeze({})

/** Of a node below the root: nothing is below it, so that its own path is in the set. No other node is without elements. */
export const isEmpty = (set: FieldSet): boolean => set === EMPTY

/** Whether a node's own path is in the set. */
export const isMember = (node: FieldSet): boolean => node['.'] !== undefined || isEmpty(node)
