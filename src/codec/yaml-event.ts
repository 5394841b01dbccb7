/** Properties of a node. */
interface NodeProperties {
  readonly anchor: string | undefined
  /** Complete tag: `tag:yaml.org,2002:int`, or `!` alone. Empty if there is none. */
  readonly tag: string
  /** Line on which the node begins, from 1. Optional properties belong to the node. */
  readonly line: number
}

/** A scalar with its decoded text. */
export interface ScalarEvent extends NodeProperties {
  readonly type: 'scalar'
  readonly text: string
  /** Whether it is written without quotes and without a block indicator. */
  readonly isPlain: boolean
}

/** Beginning of a sequence or mapping. */
export interface CollectionEvent extends NodeProperties {
  readonly type: 'sequence' | 'mapping'
}

/**
 * An event of a YAML parser. Documents, sequences and mappings have an `end`; a mapping's keys and values alternate.
 */
export type YamlEvent =
  | ScalarEvent
  | CollectionEvent
  | { readonly type: 'alias'; readonly name: string; readonly line: number }
  | { readonly type: 'document' }
  | { readonly type: 'end' }

/** Prefix of the tags that YAML defines, written `!!` in a text. */
export const YAML_TAG_PREFIX = 'tag:yaml.org,2002:'
