import { EVENT_ID, type Event, getScalarValue, SCALAR_STYLE, type ScalarEvent } from 'js-yaml'
import { quote } from '../lib/go-quote.ts'
import { MAX_INT64 } from '../lib/integer.ts'
import { invariant } from '../lib/invariant.ts'
import type { Steps } from '../lib/steps.ts'
import { clone, setMember } from '../meta/equal.ts'
import type { Json, JsonObject } from '../meta/object.ts'
import { goLiteral } from '../schema/json-schema/go-value.ts'
import { sortedKeys } from '../schema/members.ts'
import { resolvePlain, type Scalar } from './yaml-scalar.ts'

/** A text that is not YAML, or YAML that JSON cannot represent. The message is go-yaml's if it is known. */
export class YamlError extends Error {
  override readonly name = 'YamlError'
}

/** A parsed YAML document. */
export interface ParsedYaml {
  readonly yaml: true
  /** Parsed value. Members are sorted by key, because upstream converts YAML to JSON through a map. */
  readonly value: Json
  /** Errors of repeated keys: `line 3: key "a" already set in map`. The last occurrence counts. */
  readonly duplicates: string[]
  /** Whether the value has integers beyond int64 but within uint64, as bigint. */
  readonly hasUint64: boolean
}

/** A resolved scalar. Mappings have typed keys until they become objects: `1` and `"1"` are two keys. */
type Key = null | boolean | number | bigint | string

/** A finished node. `size`: number of nodes that an alias to it visits. */
interface Built {
  readonly value: Json
  readonly size: number
  /** Members of a mapping with the keys as written, for merging. */
  readonly entries?: readonly MappingEntry[]
  readonly line: number
}

/** A member of a mapping. */
interface MappingEntry {
  readonly key: Key
  readonly built: Built
}

/** A node that has begun but not ended. */
interface CollectionFrame {
  readonly kind: 'document' | 'sequence' | 'mapping'
  readonly anchor: string | undefined
  readonly line: number
  readonly items: Built[]
  /** Members of a mapping by typed key. */
  readonly members: Map<Key, Built>
  /** Key of a mapping that waits for its value. */
  key: Built | undefined
  /** Whether the key is a plain `<<`, which merges its value. */
  keyIsMerge: boolean
  rawKey: Key
  /** Number of nodes, including the node itself. */
  size: number
}

/** Nesting limit of go-yaml. */
export const MAX_DEPTH = 10_000

/** Events, or nodes visited by them, per step. One alias can visit a great many. */
const STEP = 4096

/** Builds the value from a parser's events. `lineOf`: shared by the documents of one text, which are read in order. */
export function* treeOf(events: readonly Event[], source: string, lineOf = lineCounter(source)): Steps<ParsedYaml> {
  const tree = new TreeBuilder(source, lineOf)
  let taken = 0
  for (const event of events) {
    if (taken++ >= STEP || tree.visited >= STEP) {
      yield
      taken = 0
      tree.visited = 0
    }
    tree.take(event)
  }
  return { yaml: true, value: tree.root, duplicates: tree.duplicates, hasUint64: tree.hasUint64 }
}

class TreeBuilder {
  root: Json = null
  readonly duplicates: string[] = []
  hasUint64 = false
  readonly #source: string
  readonly #lineOf: (position: number) => number
  /** Nodes by anchor. Undefined while the node has not ended. */
  readonly #anchors = new Map<string, Built | undefined>()
  readonly #frames: CollectionFrame[] = []
  /** Nodes visited in the current step. */
  visited = 0
  /** Nodes visited in all, and those of them that aliases visited again. */
  #decoded = 0
  #aliased = 0

  constructor(source: string, lineOf: (position: number) => number) {
    this.#source = source
    this.#lineOf = lineOf
  }

  take(event: Event): void {
    const { type } = event
    if (type === EVENT_ID.SCALAR) this.#scalar(event)
    else if (type === EVENT_ID.POP) this.#end()
    else if (type === EVENT_ID.SEQUENCE) this.#begin('sequence', event)
    else if (type === EVENT_ID.MAPPING) this.#begin('mapping', event)
    else if (type === EVENT_ID.ALIAS) this.#alias(this.#source.slice(event.anchorStart, event.anchorEnd), this.#lineOf(event.anchorStart))
    else this.#open('document', undefined, 1)
  }

  #nameOf({ anchorStart, anchorEnd }: Anchored): string | undefined {
    return anchorStart < 0 ? undefined : this.#source.slice(anchorStart, anchorEnd)
  }

  #open(kind: CollectionFrame['kind'], anchor: string | undefined, line: number): void {
    if (this.#frames.length > MAX_DEPTH) throw new YamlError(`yaml: exceeded max depth of ${MAX_DEPTH}`)
    this.#frames.push({ kind, anchor, line, items: [], members: new Map(), key: undefined, keyIsMerge: false, rawKey: null, size: 1 })
  }

  /** Begins a sequence or mapping. Its anchor is known, but cannot be referred to before the node ends. */
  #begin(kind: 'sequence' | 'mapping', event: Anchored & { readonly tagStart: number; readonly start: number }): void {
    const anchor = this.#nameOf(event)
    if (anchor !== undefined) this.#anchors.set(anchor, undefined)
    this.#count(1)
    this.#open(kind, anchor, this.#lineOf(firstPosition(event.anchorStart, event.tagStart, event.start)))
  }

  #scalar(event: ScalarEvent): void {
    this.#count(1)
    const raw = scalarOf(event, this.#source)
    if (typeof raw === 'bigint' && raw > MAX_INT64) this.hasUint64 = true
    const built: Built = { value: raw, size: 1, line: this.#lineOf(firstPosition(event.anchorStart, event.tagStart, event.valueStart)) }
    const anchor = this.#nameOf(event)
    if (anchor !== undefined) this.#anchors.set(anchor, built)
    this.#add(built, { raw, isMerge: event.style === SCALAR_STYLE.PLAIN && raw === '<<' })
  }

  #alias(name: string, line: number): void {
    const target = this.#anchors.get(name)
    if (target === undefined)
      throw new YamlError(this.#anchors.has(name) ? `yaml: anchor '${name}' value contains itself` : `yaml: unknown anchor '${name}' referenced`)
    this.#count(1)
    this.#aliased += target.size
    this.#count(target.size)
    const { value } = target
    // A container is rejected as a key, whatever its raw form.
    this.#add({ ...target, value: clone(value), size: target.size + 1, line }, { raw: typeof value === 'object' ? null : value, isMerge: false })
  }

  /** Ends the innermost open node. */
  #end(): void {
    const frame = this.#frames.pop()
    if (frame === undefined || frame.kind === 'document') return
    const { size, line, items } = frame
    const built: Built =
      frame.kind === 'sequence'
        ? { value: items.map(item => item.value), size, line }
        : { value: mappingObject(frame.members), size, line, entries: [...frame.members].map(([key, member]) => ({ key, built: member })) }
    if (frame.anchor !== undefined) this.#anchors.set(frame.anchor, built)
    this.#add(built, { raw: null, isMerge: false, ...(frame.kind === 'sequence' && { items }) })
  }

  /** Adds a finished node to its parent. `raw`: the node as a key. */
  #add(built: Built, as: { readonly raw: Key; readonly isMerge: boolean; readonly items?: readonly Built[] }): void {
    const frame = this.#frames.at(-1)
    invariant(frame, 'a node stands in a document')
    frame.size += built.size
    if (frame.kind === 'document') this.root = built.value
    else if (frame.kind === 'sequence') frame.items.push(built)
    else if (frame.key === undefined) {
      if (typeof built.value === 'object' && built.value !== null) throw new YamlError(`yaml: invalid map key: ${goLiteral(built.value, 'interface {}')}`)
      frame.key = built
      frame.rawKey = as.raw
      frame.keyIsMerge = as.isMerge
    } else {
      if (!frame.keyIsMerge) this.#set(frame, frame.rawKey, built)
      else if (as.items) for (const item of as.items.toReversed()) this.#merge(frame, item)
      else this.#merge(frame, built)
      frame.key = undefined
    }
  }

  #set(frame: CollectionFrame, key: Key, built: Built): void {
    if (frame.members.has(key)) this.duplicates.push(`line ${built.line}: key ${keyText(key)} already set in map`)
    frame.members.set(key, built)
  }

  /** Merges a mapping (https://yaml.org/type/merge.html). Unlike the specification, go-yaml reports a merged key that already exists as repeated. */
  #merge(frame: CollectionFrame, { entries }: Built): void {
    if (!entries) throw new YamlError('yaml: map merge requires map or sequence of maps as the value')
    for (const { key, built } of entries) this.#set(frame, key, built)
  }

  /** Counts visited nodes. Throws if aliases account for more of them than go-yaml allows. */
  #count(nodes: number): void {
    this.#decoded += nodes
    this.visited += nodes
    const decoded = this.#decoded
    const aliased = this.#aliased
    if (aliased > 100 && decoded > 1000 && aliased / decoded > allowedAliasRatio(decoded)) throw new YamlError('yaml: document contains excessive aliasing')
  }
}

interface Anchored {
  readonly anchorStart: number
  readonly anchorEnd: number
}

const firstPosition = (...positions: number[]): number => {
  const known = positions.filter(position => position >= 0)
  return known.length === 0 ? -1 : Math.min(...known)
}

/** Returns a function from offsets to line numbers, from 1. Fast for offsets in ascending order. A negative offset gives the line of the previous call. */
export function lineCounter(source: string): (position: number) => number {
  const endAfter = (position: number): number => {
    const found = source.indexOf('\n', position)
    return found < 0 ? source.length : found
  }
  let start = 0
  // Remembered, because a text may be one long line, whose end would be searched for at each node.
  let end = endAfter(0)
  let line = 1
  return position => {
    if (position < 0) return line
    while (position < start) {
      end = start - 1
      start = end === 0 ? 0 : source.lastIndexOf('\n', end - 1) + 1
      line--
    }
    while (end < position) {
      start = end + 1
      end = endAfter(start)
      line++
    }
    return line
  }
}

/** Share of visited nodes that may come from aliases. Decreases with the size of the document. Source: go-yaml. */
function allowedAliasRatio(decoded: number): number {
  const [low, high] = [400_000, 4_000_000]
  if (decoded <= low) return 0.99
  return decoded >= high ? 0.1 : 0.99 - 0.89 * ((decoded - low) / (high - low))
}

const PREFIX = 'tag:yaml.org,2002:'

/** Returns the text of a scalar. js-yaml adds a missing line feed at the end of a block scalar, which go-yaml does not. */
function sourceScalarText(event: ScalarEvent, source: string): string {
  const text = getScalarValue(source, event)
  const isBlock = event.style === SCALAR_STYLE.LITERAL_BLOCK || event.style === SCALAR_STYLE.FOLDED_BLOCK
  if (!isBlock || event.valueEnd !== source.length || !text.endsWith('\n')) return text
  const lastLine = source.length - 1 - source.lastIndexOf('\n')
  return lastLine > event.indent ? text.slice(0, -1) : text
}

/** Returns the value of a scalar by its tag, or resolves an untagged one. Unknown tags are ignored. */
export function scalarOf(event: ScalarEvent, source: string): Key {
  const text = sourceScalarText(event, source)
  const written = event.tagStart < 0 ? '' : source.slice(event.tagStart, event.tagEnd)
  if (written === '') return event.style === SCALAR_STYLE.PLAIN ? plainValue(resolvePlain(text), text) : text
  const tag = written.startsWith('!!') ? written.slice(2) : written.startsWith(`!<${PREFIX}`) ? written.slice(PREFIX.length + 2, -1) : written
  switch (tag) {
    case 'str':
      return text
    case 'binary':
      return Buffer.from(text, 'base64').toString('utf8')
    case 'bool':
    case 'int':
    case 'float':
    case 'null':
    case 'timestamp': {
      const scalar = resolvePlain(text)
      if (scalar.tag === tag || (tag === 'float' && scalar.tag === 'int')) return plainValue(scalar, text)
      throw new YamlError(`yaml: cannot decode !!${scalar.tag} \`${text}\` as a !!${tag}`)
    }
    default:
      return text
  }
}

/** Converts a resolved plain scalar. A timestamp stays text; throws YamlError for NaN and infinities, which JSON does not have. */
function plainValue(scalar: Scalar, text: string): Key {
  if (scalar.tag === 'timestamp') return text
  if (typeof scalar.value === 'number' && !Number.isFinite(scalar.value)) {
    throw new YamlError(`json: unsupported value: ${Number.isNaN(scalar.value) ? 'NaN' : scalar.value > 0 ? '+Inf' : '-Inf'}`)
  }
  return scalar.value
}

/** Converts a mapping to an object with string keys. Of keys that become equal, the later one counts. */
function mappingObject(members: ReadonlyMap<Key, Built>): JsonObject {
  const unsorted: JsonObject = {}
  for (const [key, built] of members) {
    if (key === null)
      throw new YamlError(
        `unsupported map key of type: %!s(<nil>), key: <nil>, value: ${built.value === null ? '<nil>' : goLiteral(built.value, 'interface {}')}`,
      )
    setMember(unsorted, String(key), built.value)
  }
  const out: JsonObject = {}
  for (const key of sortedKeys(unsorted)) setMember(out, key, unsorted[key])
  return out
}

/** Formats a key like Go's `%#v`. */
const keyText = (key: Key): string => (typeof key === 'string' ? quote(key) : key === null ? 'interface {}(nil)' : String(key))
