import { type Json, type JsonObject, objectIn } from '../../api/meta/object.ts'
import type { EndEvent, YamlEvent } from '../../codec/yaml-event.ts'
import { parseAllDocuments } from '../../codec/yaml-parse.ts'
import { isMerge, scalarName, scalarValue, TreeBuilder, YamlError } from '../../codec/yaml-tree.ts'
import { invariant } from '../../lib/invariant.ts'
import { isStepDone, runAtOnce, type Steps } from '../../lib/steps.ts'
import { setMember } from '../../meta/equal.ts'
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

/** Error of a text that is not valid YAML for kubectl. */
export class SourceError extends Error {
  override readonly name = 'SourceError'
  /** Line, from 1. */
  readonly line: number
  /** Offset of the error. */
  readonly at: number
  /** Range of the documents that could not be read. */
  readonly unread: NodeRange

  constructor(message: string, position: Pick<SourceError, 'line' | 'at' | 'unread'>) {
    super(message)
    this.line = position.line
    this.at = position.at
    this.unread = position.unread
  }
}

/**
 * Parses all documents of a YAML or JSON text that are not empty. As in kubectl, JSON values may follow each other
 * without a separator. Throws SourceError.
 */
export function readDocuments(text: string): SourceDocument[] {
  const faults: SourceError[] = []
  const documents = readValidDocuments(text, faults)
  if (faults[0]) throw faults[0]
  return documents
}

/** Like `readDocuments`. Documents that are not valid are left out, and their errors added to `faults`. */
export function readValidDocuments(text: string, faults: SourceError[]): SourceDocument[] {
  const stream = jsonStream(text)
  // One for all parts: each counts from where the previous one ended.
  const lineOf = lineCounter(text)
  return (stream.length > 1 ? stream : partsOf(text)).flatMap(part => {
    try {
      return documentsIn(text, part, lineOf(part.start))
    } catch (error) {
      faults.push(sourceError(error, text, part, lineOf))
      return []
    }
  })
}

/** An error at the end of a part is that of its last line. */
function sourceError(error: unknown, text: string, unread: NodeRange, lineOf: (offset: number) => number): SourceError {
  const lastCharacter = unread.start + text.slice(unread.start, unread.end).trimEnd().length - 1
  const at = (offset: number): Pick<SourceError, 'line' | 'at' | 'unread'> => {
    const found = Math.max(Math.min(offset, lastCharacter), 0)
    return { line: lineOf(found), at: found, unread }
  }
  if (error instanceof PartError) return new SourceError(error.message, at(error.at))
  // Builders of nested values are recursive.
  if (error instanceof RangeError) return new SourceError('the text is nested too deeply', at(unread.start))
  throw error
}

const MARK = '\ufeff'

/**
 * Splits a text as kubectl does, at lines of `---` that have nothing but a comment. A byte order mark is no part of a
 * document.
 */
function partsOf(text: string): NodeRange[] {
  const parts: NodeRange[] = []
  let from = 0
  const end = (at: number, next: number): void => {
    const start = text.startsWith(MARK, from) ? from + 1 : from
    if (start < at) parts.push({ start, end: at })
    from = next
  }
  for (const { 0: line, index } of text.matchAll(/^---[^\S\r\n]*(?:#.*)?\r?$/gm)) end(index, Math.min(index + line.length + 1, text.length))
  end(text.length, text.length)
  return parts
}

/** An error at an offset of the text. */
class PartError extends Error {
  readonly at: number

  constructor(message: string, at: number) {
    super(message)
    this.at = at
  }
}

/** Parses the documents of a part, which begins on a line of the text, from 1. Throws PartError. */
function documentsIn(text: string, { start, end }: NodeRange, line: number): SourceDocument[] {
  const part = text.slice(start, end)
  const parsed: YamlEvent[] = []
  const take = function* (events: readonly YamlEvent[]): Steps<void> {
    for (const event of events) {
      if (isStepDone()) yield
      parsed.push(event)
    }
  }
  // kubectl ends each line with a line feed.
  const fault = runAtOnce(parseAllDocuments(part.endsWith('\n') ? part : `${part}\n`, take, line - 1))
  if (fault) throw new PartError(fault.message, start + fault.at)
  return splitDocuments(parsed).flatMap(events => {
    const value = documentValue(events, start)
    const root = new NodeBuilder(events, start).root()
    return root.kind === 'scalar' && root.value === null ? [] : [{ root, value }]
  })
}

/** Returns the value of a document. Throws PartError at the node that cannot be represented. */
function documentValue(events: readonly YamlEvent[], base: number): Json {
  let at = base
  const watched = function* (): Generator<YamlEvent> {
    for (const event of events) {
      if ('start' in event) at = base + event.start
      yield event
    }
  }
  try {
    const tree = new TreeBuilder()
    runAtOnce(tree.takeAll(watched()))
    return tree.parsed().value
  } catch (error) {
    throw error instanceof YamlError ? new PartError(error.message, at) : error
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

/** Changes to the value of a node, by nodes below it. An anchored node changes wherever an alias refers to it. */
export interface ValueChanges {
  /** Optional. Values that replace those of nodes. */
  readonly instead?: ReadonlyMap<SourceNode, Json>
  /** Optional. Items and values of members that are left out, with the keys. */
  readonly without?: ReadonlySet<SourceNode>
}

/**
 * Returns the value of a node, with members in the order of the text. Of repeated keys the last one counts, as in
 * kubectl: without it, the object does not have the member.
 */
export function nodeValue(node: SourceNode, changes: ValueChanges = {}): Json {
  const { instead, without } = changes
  const given = instead?.get(node)
  if (given !== undefined) return given
  switch (node.kind) {
    case 'scalar':
      return node.value
    case 'alias':
      return nodeValue(node.target, changes)
    case 'list':
      return (without ? node.items.filter(item => !without.has(item)) : node.items).map(item => nodeValue(item, changes))
    case 'map': {
      const object: JsonObject = {}
      for (const merged of node.merged)
        for (const [key, value] of Object.entries(objectIn(nodeValue(merged, changes)))) setMember(object, key, value)
      for (const { key, value } of node.pairs)
        if (without?.has(value)) delete object[key]
        else setMember(object, key, nodeValue(value, changes))
      return object
    }
  }
}

/** Splits events into documents, without the first event of each. */
function splitDocuments(events: readonly YamlEvent[]): YamlEvent[][] {
  const documents: YamlEvent[][] = []
  for (const event of events)
    if (event.type === 'document') documents.push([event])
    else documents.at(-1)?.push(event)
  return documents
}

/** Builds the nodes of one document from its events, in order. */
class NodeBuilder {
  readonly #events: readonly YamlEvent[]
  /** Offset in the text of the part that has been parsed. */
  readonly #base: number
  readonly #anchors = new Map<string, SourceNode>()
  #next = 1

  constructor(events: readonly YamlEvent[], base: number) {
    this.#events = events
    this.#base = base
  }

  /** Returns the root, which is null if the document is empty. */
  root(): SourceNode {
    return this.#node(this.#take())
  }

  #take(): YamlEvent {
    const event = this.#events[this.#next++]
    invariant(event, 'a document is well formed')
    return event
  }

  #node(event: YamlEvent): SourceNode {
    invariant(event.type !== 'end' && event.type !== 'document', 'a document is well formed')
    const [start, end] = [this.#base + event.start, this.#base + event.end]
    if (event.type === 'alias') {
      const target = this.#anchors.get(event.name)
      invariant(target, 'the value of the document could be built')
      return { kind: 'alias', start, end, target }
    }
    const node: SourceNode =
      event.type === 'scalar'
        ? { kind: 'scalar', value: scalarValue(event), start, end }
        : event.type === 'sequence'
          ? this.#list(start, event.isFlow)
          : this.#map(start, event.isFlow)
    if (event.anchor !== undefined) this.#anchors.set(event.anchor, node)
    return node
  }

  #list(start: number, flow: boolean): ListNode {
    const items: SourceNode[] = []
    let event = this.#take()
    for (; event.type !== 'end'; event = this.#take()) items.push(this.#node(event))
    return { kind: 'list', start, end: this.#endOf(event, flow, items.at(-1)), flow, items }
  }

  #map(start: number, flow: boolean): MapNode {
    const pairs: MapEntry[] = []
    const merged: SourceNode[] = []
    let event = this.#take()
    let last: SourceNode | undefined
    for (; event.type !== 'end'; event = this.#take()) {
      const key = this.#node(event)
      const value = this.#node(this.#take())
      last = value
      if (event.type === 'scalar' && isMerge(event)) merged.push(...(value.kind === 'list' ? value.items.toReversed() : [value]))
      else pairs.push({ key: keyName(event, key), keyStart: key.start, keyEnd: key.end, value })
    }
    return { kind: 'map', start, end: this.#endOf(event, flow, last), flow, pairs, merged }
  }

  /** A block collection ends with its last member. */
  #endOf({ end }: EndEvent, flow: boolean, last: SourceNode | undefined): number {
    return flow || last === undefined ? this.#base + end : last.end
  }
}

/** Name of the member with a key, which may be an alias to a scalar. */
function keyName(event: YamlEvent, node: SourceNode): string {
  if (event.type === 'scalar') return scalarName(event)
  const key = node.kind === 'alias' ? node.target : node
  return key.kind === 'scalar' ? String(key.value) : ''
}
