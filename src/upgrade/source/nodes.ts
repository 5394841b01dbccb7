import { EVENT_ID, type Event, SCALAR_STYLE, type ScalarEvent, YAMLException } from 'js-yaml'
import { type Json, type JsonObject, objectIn } from '../../api/meta/object.ts'
import { yamlFault } from '../../codec/yaml-fault.ts'
import { MAX_DEPTH, scalarValue, treeOf, YamlError } from '../../codec/yaml-tree.ts'
import { invariant } from '../../lib/invariant.ts'
import { runAtOnce } from '../../lib/steps.ts'
import { setMember } from '../../meta/equal.ts'
import { parseFlowEvents } from './flow-lines.ts'
import { scalarText, yamlEvent } from './js-yaml-events.ts'
import { lineCounter } from './line-counter.ts'

/**
 * Range of a node in a text: offsets `start` and `end` (exclusive), including anchors and tags. A block collection ends
 * with its last member.
 */
interface NodeRange {
  /** Offset of the first code unit. */
  readonly start: number
  /** Offset after the last code unit. */
  readonly end: number
}

/** A scalar in a text. */
export interface ScalarNode extends NodeRange {
  readonly kind: 'scalar'
  /** Value as kubectl resolves it. */
  readonly value: null | boolean | number | bigint | string
}

/** A map in a text. */
export interface MapNode extends NodeRange {
  readonly kind: 'map'
  /** Whether it is in flow style, `{ … }`, as JSON always is. */
  readonly flow: boolean
  /** Members in the order of the text, without `<<`. */
  readonly pairs: readonly MapEntry[]
  /** Maps that `<<` merges. */
  readonly merged: readonly SourceNode[]
}

/** A list in a text. */
export interface ListNode extends NodeRange {
  readonly kind: 'list'
  /** Whether it is in flow style, `[ … ]`, as JSON always is. */
  readonly flow: boolean
  /** Items in the order of the text. */
  readonly items: readonly SourceNode[]
}

/** An alias `*name`. `target` is the node with that anchor at this point. */
export interface AliasNode extends NodeRange {
  readonly kind: 'alias'
  /** Shared with the anchor, and perhaps with other aliases. */
  readonly target: SourceNode
}

/** A node of a document. Nodes are immutable. */
export type SourceNode = ScalarNode | MapNode | ListNode | AliasNode

/** A key and its value. `keyStart` and `keyEnd` are the range of the key's node. */
export interface MapEntry {
  /** Key as a string, whatever its type. Empty if it is a collection. */
  readonly key: string
  readonly keyStart: number
  readonly keyEnd: number
  /** A scalar with the value null if there is no text. */
  readonly value: SourceNode
}

/** A document of a text. */
export interface SourceDocument {
  /** Root node. Its offsets are those of the whole text, not of the document. */
  readonly root: SourceNode
  /** The value as kubectl reads it, with sorted members. `nodeValue` of the root has them in the order of the text. */
  readonly value: Json
}

/** Thrown for a text that is not valid YAML for kubectl. */
export class SourceError extends Error {
  override readonly name = 'SourceError'
  /** Line, from 1. */
  readonly line: number

  constructor(message: string, line: number) {
    super(message)
    this.line = line
  }
}

/**
 * Parses all documents of a YAML or JSON text that are not empty. As in kubectl, JSON values may follow each other
 * without a separator. Throws SourceError.
 */
export function readDocuments(text: string): SourceDocument[] {
  try {
    const stream = jsonStream(text)
    if (stream.length > 1)
      return stream.flatMap(({ start, end }) =>
        readDocuments(text.slice(start, end)).map(({ root, value }) => ({ root: moved(root, start), value })),
      )
    const events = parseFlowEvents(text, MAX_DEPTH)
    const lineOf = lineCounter(text)
    return documentsOf(events).flatMap(document => {
      const root = new NodeBuilder(text).build(document)
      if (root === undefined) return []
      return [{ root, value: runAtOnce(treeOf(document.map(event => yamlEvent(event, text, lineOf)))).value }]
    })
  } catch (error) {
    if (error instanceof YAMLException) throw new SourceError(yamlFault(error, text), (error.mark?.line ?? 0) + 1)
    if (error instanceof YamlError) throw new SourceError(error.message, Number(/line (\d+)/.exec(error.message)?.[1] ?? 1))
    // Parsers of nested values are recursive.
    if (error instanceof RangeError) throw new SourceError('the text is nested too deeply', 1)
    throw error
  }
}

/** Returns the ranges of the objects in a text of several JSON objects, or none for any other text. */
function jsonStream(text: string): NodeRange[] {
  if (!/^\s*\{/.test(text)) return []
  const places: NodeRange[] = []
  let depth = 0
  let start = 0
  for (const { 0: found, index } of text.matchAll(/"(?:[^"\\]|\\.)*"?|[{}]/gs)) {
    if (found === '{' && depth++ === 0) {
      if (text.slice(start, index).trim() !== '') return []
      start = index
    }
    if (found !== '}' || --depth > 0) continue
    if (depth < 0) return []
    places.push({ start, end: index + 1 })
    start = index + 1
  }
  const isJson =
    depth === 0 &&
    text.slice(start).trim() === '' &&
    places.length > 1 &&
    places.every(({ start: from, end }) => isJsonText(text.slice(from, end)))
  return isJson ? places : []
}

/** Reports whether a text is JSON. */
export function isJsonText(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Shifts a JSON node to another offset. */
function moved(node: SourceNode, by: number): SourceNode {
  const place = { start: node.start + by, end: node.end + by }
  switch (node.kind) {
    case 'scalar':
      return { ...node, ...place }
    case 'alias':
      return { ...node, ...place, target: moved(node.target, by) }
    case 'list':
      return { ...node, ...place, items: node.items.map(item => moved(item, by)) }
    case 'map': {
      const pairs = node.pairs.map(({ key, keyStart, keyEnd, value }) => ({
        key,
        keyStart: keyStart + by,
        keyEnd: keyEnd + by,
        value: moved(value, by),
      }))
      return { ...node, ...place, pairs, merged: node.merged.map(each => moved(each, by)) }
    }
  }
}

/** Returns the value of a node, with members in the order of the text. `instead` replaces the values of some nodes. */
export function nodeValue(node: SourceNode, instead?: ReadonlyMap<SourceNode, Json>): Json {
  const given = instead?.get(node)
  if (given !== undefined) return given
  switch (node.kind) {
    case 'scalar':
      return node.value
    case 'alias':
      return nodeValue(node.target, instead)
    case 'list':
      return node.items.map(item => nodeValue(item, instead))
    case 'map': {
      const object: JsonObject = {}
      for (const merged of node.merged)
        for (const [key, value] of Object.entries(objectIn(nodeValue(merged, instead)))) setMember(object, key, value)
      for (const { key, value } of node.pairs) setMember(object, key, nodeValue(value, instead))
      return object
    }
  }
}

/** Splits events into documents, each from its DOCUMENT to the matching POP. */
function documentsOf(events: readonly Event[]): Event[][] {
  const documents: Event[][] = []
  let depth = 0
  for (const event of events) {
    if (depth === 0) documents.push([])
    documents.at(-1)?.push(event)
    if (event.type === EVENT_ID.POP) depth--
    else if (event.type !== EVENT_ID.SCALAR && event.type !== EVENT_ID.ALIAS) depth++
  }
  return documents
}

/** Builds the nodes of one document from its events, in order. */
class NodeBuilder {
  readonly #text: string
  readonly #anchors = new Map<string, SourceNode>()
  #events: readonly Event[] = []
  #next = 0

  constructor(text: string) {
    this.#text = text
  }

  /** Returns the root. Undefined if the document is empty or null. */
  build(events: readonly Event[]): SourceNode | undefined {
    this.#events = events
    this.#next = 1
    if (this.#events[1]?.type === EVENT_ID.POP) return undefined
    const root = this.#node(0)
    return root.kind === 'scalar' && root.value === null ? undefined : root
  }

  /** `after` is the start of a node without text. */
  #node(after: number): SourceNode {
    const event = this.#events[this.#next++]
    invariant(event && event.type !== EVENT_ID.POP && event.type !== EVENT_ID.DOCUMENT, 'a document is well formed')
    if (event.type === EVENT_ID.ALIAS) {
      const target = this.#anchors.get(this.#text.slice(event.anchorStart, event.anchorEnd))
      if (target === undefined) throw new YamlError('yaml: unknown anchor')
      return { kind: 'alias', start: event.anchorStart - 1, end: event.anchorEnd, target }
    }
    const node = event.type === EVENT_ID.SCALAR ? this.#scalar(event, after) : this.#collection(event)
    if (event.anchorStart >= 0) this.#anchors.set(this.#text.slice(event.anchorStart, event.anchorEnd), node)
    return node
  }

  /** Builds a scalar. A plain one ends with its last character that is no white space. */
  #scalar(event: ScalarEvent, after: number): ScalarNode {
    const value = scalarValue(scalarText(event, this.#text))
    const { valueStart, valueEnd, style } = event
    if (valueStart < 0) return { kind: 'scalar', value, start: after, end: after }
    const start = beginning(event, this.#contentStart(style, valueStart))
    if (style === SCALAR_STYLE.DOUBLE_QUOTED || style === SCALAR_STYLE.SINGLE_QUOTED)
      return { kind: 'scalar', value, start, end: valueEnd + 1 }
    return { kind: 'scalar', value, start, end: Math.max(start + 1, valueStart + this.#text.slice(valueStart, valueEnd).trimEnd().length) }
  }

  /** Returns the start of a scalar, including its quote or block indicator `|`. */
  #contentStart(style: ScalarEvent['style'], valueStart: number): number {
    if (style === SCALAR_STYLE.DOUBLE_QUOTED || style === SCALAR_STYLE.SINGLE_QUOTED) return valueStart - 1
    if (style === SCALAR_STYLE.PLAIN) return valueStart
    const header = this.#text.lastIndexOf('\n', valueStart - 1)
    const lineStart = this.#text.lastIndexOf('\n', header - 1) + 1
    const line = this.#text.slice(lineStart, header)
    for (const { 0: sign, index } of line.matchAll(/[|>][-+0-9]*[ \t]*/g)) {
      const end = index + sign.length
      const isBeforeComment = line[end] === '#' && /[ \t]$/.test(sign.slice(-1))
      if (isBeforeComment || end === line.length || line.slice(end) === '\r') return lineStart + index
    }
    return valueStart
  }

  /**
   * Consumes the events of a collection with its end. Its text ends with its last member; YAML's events do not say
   * where a block ends.
   */
  #collection(event: Exclude<Event, { type: 1 | 4 | 5 | 6 }>): MapNode | ListNode {
    const flow = event.style === 2
    const start = beginning(event, event.start)
    const pairs: MapEntry[] = []
    const merged: SourceNode[] = []
    const items: SourceNode[] = []
    let end = event.start + 1
    while (this.#events[this.#next]?.type !== EVENT_ID.POP) {
      const first = this.#node(end)
      end = Math.max(end, first.end)
      if (event.type === EVENT_ID.SEQUENCE) items.push(first)
      else {
        const key = first.kind === 'alias' ? first.target : first
        const value = this.#node(this.#afterColon(first.end))
        end = Math.max(end, value.end)
        const isMerge = key.kind === 'scalar' && key.value === '<<'
        if (isMerge) merged.push(...(value.kind === 'list' ? value.items.toReversed() : [value]))
        else pairs.push({ key: key.kind === 'scalar' ? String(key.value) : '', keyStart: first.start, keyEnd: first.end, value })
      }
    }
    this.#next++
    if (flow) end = this.#bracketAfter(end, event.type === EVENT_ID.SEQUENCE ? ']' : '}')
    return event.type === EVENT_ID.SEQUENCE ? { kind: 'list', start, end, flow, items } : { kind: 'map', start, end, flow, pairs, merged }
  }

  /** Returns the offset after the colon of a key, or the end of the key if none follows. */
  #afterColon(keyEnd: number): number {
    const colon = /^\s*:/.exec(this.#text.slice(keyEnd, keyEnd + 200))
    return colon ? keyEnd + colon[0].length : keyEnd
  }

  /** Returns the offset after the bracket of a flow collection whose last member ends at `from`. */
  #bracketAfter(from: number, bracket: string): number {
    let at = from
    for (;;) {
      const found = this.#text.charAt(at)
      if (found === bracket || found === '') return at + 1
      if (found === '#') at = this.#text.indexOf('\n', at)
      else at++
      if (at < 0) return this.#text.length
    }
  }
}

/** Returns the start of a node, including its anchor and tag. */
function beginning({ anchorStart, tagStart }: { readonly anchorStart: number; readonly tagStart: number }, content: number): number {
  const anchor = anchorStart < 0 ? content : anchorStart - 1
  return Math.min(anchor, tagStart < 0 ? content : tagStart, content)
}
