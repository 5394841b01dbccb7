import type { Json, JsonObject } from '../api/meta/object.ts'
import { compareText } from '../lib/compare-text.ts'
import { formatDouble, formatFloat32, nameOfSpecial } from '../lib/format-double.ts'
import { quote } from '../lib/go-quote.ts'
import { MAX_INT64 } from '../lib/integer.ts'
import { invariant } from '../lib/invariant.ts'
import { isStepDone, type Steps, sortInSteps } from '../lib/steps.ts'
import { noteMembers } from '../lib/wide-objects.ts'
import { clone, setMember } from '../meta/equal.ts'
import { cloneInSteps } from '../meta/whole-floats.ts'
import { goLiteral } from '../schema/json-schema/go-value.ts'
import { sortedKeys } from '../schema/members.ts'
import { boundMembers, MOST_VALUES, tooManyValues } from './value-bound.ts'
import { type CollectionEvent, type ScalarEvent, YAML_TAG_PREFIX, type YamlEvent } from './yaml-event.ts'
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
  readonly members?: ReadonlyMap<Key, Built>
  readonly line: number
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

/** Members of other nodes. */
const NONE = new Map<Key, Built>()

/** Nesting limit of go-yaml. */
const MAX_DEPTH = 10_000

/** Nodes that events visit in one step. One alias can visit a great many. */
const STEP = 4096

/** Members of a mapping above which its object is built in steps. */
const FEW_MEMBERS = 1024

/** Limit on the nodes of a client's document: each value may have a key. Aliases visit theirs again. */
const MOST_NODES = 2 * MOST_VALUES

/** A mapping that gets the members of others. */
interface Merge {
  readonly frame: CollectionFrame
  readonly items: readonly Built[]
}

/**
 * Builds a value from the events of a document, in order. Throws YamlError if it cannot be represented.
 * `isBounded`: the document is a client's. Throws 413 if it has too many nodes, or a mapping of too many members.
 */
export class TreeBuilder {
  readonly #isBounded: boolean
  #root: Json = null
  readonly #duplicates: string[] = []
  #hasUint64 = false
  /** Nodes by anchor. Undefined while the node has not ended. */
  readonly #anchors = new Map<string, Built | undefined>()
  readonly #frames: CollectionFrame[] = []
  /** Error of a key that JSON does not have. Errors of go-yaml come first. */
  #unsupported: string | undefined
  /** Error of the first number that JSON does not have. Errors of keys come first. */
  #special: string | undefined
  /** Nodes visited in the current step. */
  #visited = 0
  /** Nodes visited in all, and those of them that aliases visited again. */
  #decoded = 0
  #aliased = 0
  /** The merge that the last event has completed. */
  #merging: Merge | undefined

  constructor(isBounded = false) {
    this.#isBounded = isBounded
  }

  /** Returns the result once all events are taken. */
  parsed(): ParsedYaml {
    const error = this.#unsupported ?? this.#special
    if (error !== undefined) throw new YamlError(error)
    return { yaml: true, value: this.#root, duplicates: this.#duplicates, hasUint64: this.#hasUint64 }
  }

  /** Takes the next events. */
  *takeAll(events: Iterable<YamlEvent>): Steps<void> {
    for (const event of events) {
      if (this.#visited >= STEP) {
        yield
        this.#visited = 0
      }
      if (event.type === 'end') this.#end(this.#frame.members.size > FEW_MEMBERS ? yield* objectInSteps(this.#frame.members) : undefined)
      else if (event.type === 'alias') yield* this.#alias(event.name, event.line)
      else this.#take(event)
      if (this.#merging) yield* this.#merge(this.#merging)
    }
  }

  #take(event: Exclude<YamlEvent, { readonly type: 'end' | 'alias' }>): void {
    if (event.type === 'scalar') this.#scalar(event)
    else if (event.type === 'document') this.#open('document', undefined, 1)
    else this.#begin(event)
  }

  /** Innermost open node. */
  get #frame(): CollectionFrame {
    const frame = this.#frames.at(-1)
    invariant(frame, 'a node stands in a document')
    return frame
  }

  #open(kind: CollectionFrame['kind'], anchor: string | undefined, line: number): void {
    if (this.#frames.length > MAX_DEPTH) throw new YamlError(`yaml: exceeded max depth of ${MAX_DEPTH}`)
    this.#frames.push({
      kind,
      anchor,
      line,
      items: [],
      members: kind === 'mapping' ? new Map() : NONE,
      key: undefined,
      keyIsMerge: false,
      rawKey: null,
      size: 1,
    })
  }

  /** Begins a sequence or mapping. Its anchor is known, but cannot be referred to before the node ends. */
  #begin({ type, anchor, line }: CollectionEvent): void {
    if (anchor !== undefined) this.#anchors.set(anchor, undefined)
    this.#count(1)
    this.#open(type, anchor, line)
  }

  /** An anchor refers to the value only, not to the form in which it would be a key. */
  #scalar(event: ScalarEvent): void {
    this.#count(1)
    const { kind, key } = this.#frame
    const scalar = resolveScalar(event)
    const isKey = kind === 'mapping' && key === undefined
    const raw = isKey ? keyOf(scalar, event.text) : plainValue(scalar, event.text)
    if (!isKey) this.#special ??= specialOf(raw)
    if (typeof raw === 'bigint' && raw > MAX_INT64) this.#hasUint64 = true
    const { anchor, line } = event
    const built: Built = { value: raw, size: 1, line }
    if (anchor !== undefined) this.#anchors.set(anchor, built)
    this.#add(built, { raw, isMerge: isMerge(event) })
  }

  /** Copies the value, and counts it again towards the limit, so that a few aliases cannot make a value of any size. */
  *#alias(name: string, line: number): Steps<void> {
    const target = this.#anchors.get(name)
    if (target === undefined)
      throw new YamlError(
        this.#anchors.has(name) ? `yaml: anchor '${name}' value contains itself` : `yaml: unknown anchor '${name}' referenced`,
      )
    this.#count(1)
    this.#aliased += target.size
    this.#count(target.size)
    const { value } = target
    // A container is rejected as a key, whatever its raw form.
    this.#add(
      { ...target, value: target.size > FEW_MEMBERS ? yield* cloneInSteps(value) : clone(value), size: target.size + 1, line },
      { raw: typeof value === 'object' ? null : value, isMerge: false },
    )
  }

  /** Ends the innermost open node. `object`: value of a mapping, if it has been built already. */
  #end(object?: JsonObject): void {
    const frame = this.#frames.pop()
    if (frame === undefined || frame.kind === 'document') return
    const { size, line, items, members } = frame
    // The outermost mapping is converted first: its error replaces those of the mappings within.
    this.#unsupported = unsupportedKey(members) ?? this.#unsupported
    const built: Built =
      frame.kind === 'sequence'
        ? { value: items.map(item => item.value), size, line }
        : { value: object ?? mappingObject(members), size, line, members }
    if (frame.anchor !== undefined) this.#anchors.set(frame.anchor, built)
    this.#add(built, { raw: null, isMerge: false, ...(frame.kind === 'sequence' && { items }) })
  }

  /** Adds a finished node to its parent. `raw`: the node as a key. */
  #add(built: Built, as: { readonly raw: Key; readonly isMerge: boolean; readonly items?: readonly Built[] }): void {
    const frame = this.#frame
    frame.size += built.size
    if (frame.kind === 'document') this.#root = built.value
    else if (frame.kind === 'sequence') frame.items.push(built)
    else if (frame.key === undefined) {
      if (typeof built.value === 'object' && built.value !== null)
        throw new YamlError(`yaml: invalid map key: ${goLiteral(built.value, 'interface {}')}`)
      frame.key = built
      frame.rawKey = as.raw
      frame.keyIsMerge = as.isMerge
    } else {
      if (frame.keyIsMerge) this.#merging = { frame, items: as.items?.toReversed() ?? [built] }
      else this.#set(frame, frame.rawKey, built)
      frame.key = undefined
    }
  }

  #set(frame: CollectionFrame, key: Key, built: Built): void {
    if (frame.members.has(key)) this.#duplicates.push(`line ${built.line}: key ${keyText(key)} already set in map`)
    frame.members.set(key, built)
    if (this.#isBounded) boundMembers(frame.members.size)
  }

  /**
   * Merges mappings (https://yaml.org/type/merge.html). Unlike the specification, go-yaml reports a merged key that
   * already exists as repeated.
   */
  *#merge({ frame, items }: Merge): Steps<void> {
    this.#merging = undefined
    for (const { members } of items) {
      if (!members) throw new YamlError('yaml: map merge requires map or sequence of maps as the value')
      for (const [key, built] of members) {
        if (isStepDone()) yield
        this.#set(frame, key, built)
      }
    }
  }

  /** Counts visited nodes. Throws if aliases account for more of them than go-yaml allows. */
  #count(nodes: number): void {
    this.#decoded += nodes
    this.#visited += nodes
    if (this.#isBounded && this.#decoded > MOST_NODES) throw tooManyValues()
    const [decoded, aliased] = [this.#decoded, this.#aliased]
    if (aliased > 100 && decoded > 1000 && aliased / decoded > allowedAliasRatio(decoded))
      throw new YamlError('yaml: document contains excessive aliasing')
  }
}

/** Share of visited nodes that may come from aliases. Decreases with the size of the document. Source: go-yaml. */
function allowedAliasRatio(decoded: number): number {
  const [low, high] = [400_000, 4_000_000]
  if (decoded <= low) return 0.99
  return decoded >= high ? 0.1 : 0.99 - 0.89 * ((decoded - low) / (high - low))
}

const tag = (name: string): string => `${YAML_TAG_PREFIX}${name}`

/** Types of scalars by the tags that can be resolved. */
const RESOLVABLE: ReadonlyMap<string, Scalar['tag']> = new Map(
  (['bool', 'int', 'float', 'null', 'timestamp'] as const).map(name => [tag(name), name]),
)
const BINARY = tag('binary')
const MERGE = tag('merge')

/** Whether a scalar is a key that merges its value. */
export const isMerge = ({ text, isPlain, tag: written }: ScalarEvent): boolean =>
  text === '<<' && (written === '' ? isPlain : written === '!' || written === MERGE)

/** Returns the value of a scalar, which may be NaN or infinite. Throws YamlError if it does not have the type of its tag. */
export const scalarValue = (event: ScalarContent): Key => plainValue(resolveScalar(event), event.text)

/** Returns a scalar as the name of a member. Throws YamlError if it does not have the type of its tag. */
export const scalarName = (event: ScalarContent): string => memberName(keyOf(resolveScalar(event), event.text))

/** Returns the error of a number that JSON does not have. */
function specialOf(value: Key): string | undefined {
  const name = typeof value === 'number' ? nameOfSpecial(value) : undefined
  return name === undefined ? undefined : `json: unsupported value: ${name}`
}

type ScalarContent = Pick<ScalarEvent, 'text' | 'isPlain' | 'tag'>

/** Resolves a scalar by its tag, or an untagged one by its form. Unknown tags are ignored. */
function resolveScalar({ text, isPlain, tag: written }: ScalarContent): Scalar {
  if (written === '') return isPlain ? resolvePlain(text) : { tag: 'str', value: text }
  if (written === BINARY) return { tag: 'str', value: binaryText(text) }
  const wanted = RESOLVABLE.get(written)
  if (wanted === undefined) return { tag: 'str', value: text }
  const scalar = resolvePlain(text, wanted === 'timestamp')
  if (scalar.tag === wanted) return scalar
  if (wanted === 'float' && scalar.tag === 'int') return { tag: 'float', value: scalar.value }
  throw new YamlError(`yaml: cannot decode !!${scalar.tag} \`${text}\` as a !!${wanted}`)
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** Decodes base64, in which line breaks are ignored. */
function binaryText(text: string): string {
  const digits = text.replace(/[\r\n]/g, '')
  if (!BASE64.test(digits)) throw new YamlError('yaml: !!binary value contains invalid base64 data')
  return Buffer.from(digits, 'base64').toString('utf8')
}

/**
 * Converts a resolved scalar to a key. Whole floats become text, which differs from that of integers: `1e10` is
 * `1e+10`.
 */
function keyOf({ tag: resolved, value }: Scalar, text: string): Key {
  if (resolved === 'timestamp') return text
  return resolved === 'float' && Number.isInteger(Number(value)) ? floatKey(Number(value)) : value
}

/** Returns a float as a member's name. Upstream formats it as a float32. */
function floatKey(value: number): string {
  const single = Math.fround(value)
  if (Number.isNaN(single)) return '.nan'
  return Number.isFinite(single) ? formatFloat32(single) : single > 0 ? '.inf' : '-.inf'
}

/** Whether a key is a float. Whole floats are text as keys. */
const isFloat = (key: Key): key is number => typeof key === 'number' && !Number.isInteger(key)

/** Converts a resolved scalar to a value. A timestamp stays text. */
const plainValue = (scalar: Scalar, text: string): Key => (scalar.tag === 'timestamp' ? text : scalar.value)

/** Converts a mapping to an object with string keys. Of keys that become equal, the later one counts. */
function mappingObject(members: ReadonlyMap<Key, Built>): JsonObject {
  const unsorted: JsonObject = {}
  for (const [key, built] of members) setMember(unsorted, memberName(key), built.value)
  const out: JsonObject = {}
  for (const key of sortedKeys(unsorted)) setMember(out, key, unsorted[key])
  return out
}

/** Like `mappingObject`, in steps, for many members. */
function* objectInSteps(members: ReadonlyMap<Key, Built>): Steps<JsonObject> {
  const unsorted = new Map<string, Json>()
  for (const [key, built] of members) {
    if (isStepDone()) yield
    unsorted.set(memberName(key), built.value)
  }
  const out: JsonObject = {}
  for (const key of yield* sortInSteps([...unsorted.keys()], compareText)) {
    if (isStepDone()) yield
    setMember(out, key, unsorted.get(key))
  }
  return noteMembers(out, unsorted.size)
}

/** Returns a key as the name of a member. */
const memberName = (key: Key): string => (isFloat(key) ? floatKey(key) : String(key))

/** Returns the error of the null key of a mapping, if there is one. */
function unsupportedKey(members: ReadonlyMap<Key, Built>): string | undefined {
  const member = members.get(null)
  if (member === undefined) return undefined
  return `unsupported map key of type: %!s(<nil>), key: <nil>, value: ${member.value === null ? '<nil>' : goLiteral(member.value, 'interface {}')}`
}

/** Formats a key like Go's `%#v`. */
const keyText = (key: Key): string =>
  typeof key === 'string' ? quote(key) : key === null ? 'interface {}(nil)' : isFloat(key) ? formatDouble(key) : String(key)
