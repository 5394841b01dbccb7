import type { PathElement } from './path-element.ts'

/**
 * A set of field paths: a trie in the form of its encoding (FieldsV1). The members of a node are the next path
 * elements, sorted. A path is in the set if its node is empty or has the member `.`. Other nodes only lead to deeper
 * paths. The empty root is the empty set. Sets are immutable and share nodes.
 * https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management
 */
export type FieldSet = { readonly [element: PathElement]: FieldSet }

/** The empty set. As a node: a path that is in the set, without paths below it. */
export const EMPTY: FieldSet = Object.freeze({})

/**
 * Whether a set is empty, or a node has no paths below it. Compares by identity: `EMPTY` is the only node without
 * elements.
 */
export const isEmptySet = (set: FieldSet): boolean => set === EMPTY

/** Whether a node's own path is in the set. */
export const isMember = (node: FieldSet): boolean => node['.'] !== undefined || isEmptySet(node)
