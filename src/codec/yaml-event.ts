/** Offsets in the text. The end is exclusive. */
interface EventRange {
  readonly start: number
  readonly end: number
}

/** Properties of a node. Its range includes its anchor and tag; a node without text has an empty one. */
export interface NodeProperties extends EventRange {
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

/** Beginning of a sequence or mapping. Its range is that of its properties and its first indicator or key. */
export interface CollectionEvent extends NodeProperties {
  readonly type: 'sequence' | 'mapping'
  /** Whether it is written with brackets. */
  readonly isFlow: boolean
}

/** An alias. */
export interface AliasEvent extends EventRange {
  readonly type: 'alias'
  readonly name: string
  readonly line: number
}

/** End of a document, sequence or mapping. `end`: offset after the closing bracket, or after the last token. */
export interface EndEvent {
  readonly type: 'end'
  readonly end: number
}

/**
 * An event of a YAML parser. Documents, sequences and mappings have an `end`; a mapping's keys and values alternate.
 */
export type YamlEvent = ScalarEvent | CollectionEvent | AliasEvent | { readonly type: 'document' } | EndEvent

/** Prefix of the tags that YAML defines, written `!!` in a text. */
export const YAML_TAG_PREFIX = 'tag:yaml.org,2002:'
