import { EVENT_ID, type Event, getScalarValue, parseEvents, SCALAR_STYLE, type ScalarEvent, YAMLException } from 'js-yaml'
import { quote } from '../lib/go-quote.ts'
import { runAtOnce, type Steps } from '../lib/steps.ts'
import { clone, setMember } from '../meta/equal.ts'
import type { Json, JsonObject } from '../meta/object.ts'
import { sortedJson, sortedKeys } from '../schema/members.ts'
import { parsePlain } from './json.ts'
import { depthFault, yamlFault } from './yaml-fault.ts'
import { resolvePlain, type Scalar } from './yaml-scalar.ts'

export { yamlBytes } from './yaml-writer.ts'

/** A text that is no YAML, or no YAML that JSON can say. The message is go-yaml's where it is known. */
export class YamlError extends Error {
  override readonly name = 'YamlError'
}

export interface ParsedYaml {
  readonly yaml: true
  /** Members are sorted by key, as upstream's way through JSON leaves them. */
  readonly value: Json
  /** `line 3: key "a" already set in map`; the last one counts. */
  readonly duplicates: string[]
}

/** The words under which upstream's strict decoding tells of repeated keys, all in one error. */
export const repeatedKeysText = (duplicates: readonly string[]): string => `yaml: unmarshal errors:\n${duplicates.map(line => `  ${line}`).join('\n')}`

type Key = null | boolean | number | bigint | string

/** What stands for a node: its value, and how many nodes are visited when an alias repeats it. */
interface Built {
  readonly value: Json
  readonly size: number
  /** Of mappings: the keys as they were written, for merging. */
  readonly entries?: readonly Entry[]
  readonly line: number
}

interface Entry {
  readonly key: Key
  readonly built: Built
}

interface Frame {
  readonly kind: 'document' | 'sequence' | 'mapping'
  readonly anchor: string | undefined
  readonly line: number
  readonly items: Built[]
  /** Of mappings, by typed key. */
  readonly members: Map<Key, Built>
  key: Built | undefined
  keyIsMerge: boolean
  rawKey: Key
  size: number
}

/** Parses the first document of a YAML text (or JSON, which is YAML). An empty text is null. Throws YamlError. */
export const parseYaml = (bytes: Buffer): ParsedYaml => runAtOnce(parseYamlInSteps(bytes))

/** The same in steps, for bodies that may be large. */
export function* parseYamlInSteps(bytes: Buffer): Steps<ParsedYaml> {
  const source = firstDocument(bytes.toString('utf8'))
  yield
  if (controlCharacter.test(source)) throw new YamlError('yaml: control characters are not allowed')
  yield
  try {
    const json = yield* asJson(source)
    if (json !== undefined) return { yaml: true, value: json, duplicates: [] }
    yield
    const events = parseEvents(source, { filename: '', maxDepth: MAX_DEPTH })
    yield
    return yield* build(events, source)
  } catch (error) {
    if (error instanceof YAMLException) throw new YamlError(yamlFault(error, source))
    // The parser is recursive: the stack ends before the depth does.
    if (error instanceof RangeError) throw new YamlError(depthFault(source, MAX_DEPTH))
    throw error
  }
}

/** As go-yaml has it. */
const MAX_DEPTH = 10_000

/** Of JSON that YAML reads otherwise, or not at all: what it takes for ends of lines, tabs, keys that merge, `\/`, a key and its colon on two lines, zero with a sign. */
const otherwiseInYaml = /[\t\u0085\u2028\u2029]|"<<"|\\\/|"\s*[\r\n]\s*:|-0/

/** YAML takes no longer keys without a mark. */
const LONGEST_KEY = 1000

/**
 * The value of a text that is JSON and means the same in YAML, as most configurations of appliers are; undefined of any other. The parser of YAML takes ten times as long for each value.
 */
function* asJson(source: string): Steps<Json | undefined> {
  if (!source.startsWith('{') || otherwiseInYaml.test(source)) return undefined
  yield
  const value = yield* parsePlain(source)
  yield
  if (value === undefined || hasLongKey(value)) return undefined
  yield
  return sortedJson(value)
}

function hasLongKey(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.some(hasLongKey)
  for (const key in value) if (key.length > LONGEST_KEY || hasLongKey(value[key] as Json)) return true
  return false
}

/** What may not stand in YAML, not even in quotes (YAML 1.1, section 5.1). */
const controlCharacter = /[^\t\n\r -~\u0085\u00a0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u

const separator = /^(?:---|\.\.\.)(?=[ \t\r\n]|$)/gm

/** Cuts what follows the first document: it is not even looked at. */
function firstDocument(text: string): string {
  let begun = false
  for (const match of text.matchAll(separator)) {
    const before = text.slice(0, match.index)
    if (begun || match[0] === '...' || before.replace(/^[ \t]*#.*$|^%.*$/gm, '').trim() !== '') return before
    begun = true
  }
  return text
}

/** Events that are taken in one step. */
const STEP = 4096

function* build(events: readonly Event[], source: string): Steps<ParsedYaml> {
  const duplicates: string[] = []
  const anchors = new Map<string, Built | undefined>()
  const lineOf = lineCounter(source)
  const frames: Frame[] = []
  let decoded = 0
  let aliased = 0
  let root: Json = null

  const nameOf = (event: { anchorStart: number; anchorEnd: number }): string | undefined =>
    event.anchorStart < 0 ? undefined : source.slice(event.anchorStart, event.anchorEnd)
  const top = (): Frame => frames.at(-1) as Frame
  const set = (frame: Frame, key: Key, built: Built): void => {
    if (frame.members.has(key)) duplicates.push(`line ${built.line}: key ${keyText(key)} already set in map`)
    frame.members.set(key, built)
  }
  const merge = (frame: Frame, built: Built): void => {
    if (built.entries) for (const { key, built: member } of built.entries) set(frame, key, member)
    else throw new YamlError('yaml: map merge requires map or sequence of maps as the value')
  }
  const add = (built: Built, raw: Key, isMerge: boolean, items?: readonly Built[]): void => {
    const frame = top()
    frame.size += built.size
    if (frame.kind === 'document') root = built.value
    else if (frame.kind === 'sequence') frame.items.push(built)
    else if (frame.key === undefined) {
      if (typeof built.value === 'object' && built.value !== null) throw new YamlError(`yaml: invalid map key: ${JSON.stringify(built.value)}`)
      frame.key = built
      frame.rawKey = raw
      frame.keyIsMerge = isMerge
    } else {
      if (frame.keyIsMerge) {
        if (items) for (const item of items.toReversed()) merge(frame, item)
        else merge(frame, built)
      } else set(frame, frame.rawKey, built)
      frame.key = undefined
    }
  }
  const count = (nodes: number, alias: boolean): void => {
    decoded += nodes
    if (alias) aliased += nodes
    if (aliased > 100 && decoded > 1000 && aliased / decoded > allowedAliasRatio(decoded)) throw new YamlError('yaml: document contains excessive aliasing')
  }

  let taken = 0
  for (const event of events) {
    if (++taken % STEP === 0) yield
    switch (event.type) {
      case EVENT_ID.DOCUMENT:
      case EVENT_ID.SEQUENCE:
      case EVENT_ID.MAPPING: {
        if (frames.length > MAX_DEPTH) throw new YamlError(`yaml: exceeded max depth of ${MAX_DEPTH}`)
        const kind = event.type === EVENT_ID.DOCUMENT ? 'document' : event.type === EVENT_ID.SEQUENCE ? 'sequence' : 'mapping'
        const anchor = event.type === EVENT_ID.DOCUMENT ? undefined : nameOf(event)
        if (anchor !== undefined) anchors.set(anchor, undefined)
        if (event.type !== EVENT_ID.DOCUMENT) count(1, false)
        const line = event.type === EVENT_ID.DOCUMENT ? 1 : lineOf(firstOf(event.anchorStart, event.tagStart, event.start))
        frames.push({ kind, anchor, line, items: [], members: new Map(), key: undefined, keyIsMerge: false, rawKey: null, size: 1 })
        break
      }
      case EVENT_ID.SCALAR: {
        count(1, false)
        const raw = scalarOf(event, source)
        const line = lineOf(firstOf(event.anchorStart, event.tagStart, event.valueStart))
        const built: Built = { value: raw, size: 1, line }
        const anchor = nameOf(event)
        if (anchor !== undefined) anchors.set(anchor, built)
        add(built, raw, event.style === SCALAR_STYLE.PLAIN && raw === '<<')
        break
      }
      case EVENT_ID.ALIAS: {
        const name = nameOf(event) as string
        const target = anchors.get(name)
        if (target === undefined)
          throw new YamlError(anchors.has(name) ? `yaml: anchor '${name}' value contains itself` : `yaml: unknown anchor '${name}' referenced`)
        count(1, false)
        count(target.size, true)
        add({ ...target, value: clone(target.value), size: target.size + 1, line: lineOf(event.anchorStart) }, target.value as Key, false)
        break
      }
      case EVENT_ID.POP: {
        const frame = frames.pop() as Frame
        if (frame.kind === 'document') break
        const built: Built =
          frame.kind === 'sequence'
            ? { value: frame.items.map(item => item.value), size: frame.size, line: frame.line }
            : {
                value: objectOf(frame.members),
                size: frame.size,
                line: frame.line,
                entries: [...frame.members].map(([key, member]) => ({ key, built: member })),
              }
        if (frame.anchor !== undefined) anchors.set(frame.anchor, built)
        add(built, null, false, frame.kind === 'sequence' ? frame.items : undefined)
      }
    }
  }
  return { yaml: true, value: root, duplicates }
}

const firstOf = (...positions: number[]): number => {
  const known = positions.filter(position => position >= 0)
  return known.length === 0 ? -1 : Math.min(...known)
}

/** Lines of positions that are asked for in rising order, mostly; an unknown position is where the last one was. */
function lineCounter(source: string): (position: number) => number {
  const endAfter = (position: number): number => {
    const found = source.indexOf('\n', position)
    return found < 0 ? source.length : found
  }
  let start = 0
  // Kept, for a text may be one long line: to look for its end at each node would take for ever.
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

/** The share of visited nodes that may come from aliases: the less, the larger the document. Source: go-yaml. */
function allowedAliasRatio(decoded: number): number {
  const [low, high] = [400_000, 4_000_000]
  if (decoded <= low) return 0.99
  return decoded >= high ? 0.1 : 0.99 - 0.89 * ((decoded - low) / (high - low))
}

const PREFIX = 'tag:yaml.org,2002:'

function scalarOf(event: ScalarEvent, source: string): Key {
  const text = getScalarValue(source, event)
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

function plainValue(scalar: Scalar, text: string): Key {
  if (scalar.tag === 'timestamp') return text
  if (typeof scalar.value === 'number' && !Number.isFinite(scalar.value)) {
    throw new YamlError(`json: unsupported value: ${Number.isNaN(scalar.value) ? 'NaN' : scalar.value > 0 ? '+Inf' : '-Inf'}`)
  }
  return scalar.value
}

function objectOf(members: ReadonlyMap<Key, Built>): JsonObject {
  const unsorted: JsonObject = {}
  for (const [key, built] of members) {
    if (key === null) throw new YamlError('unsupported map key of type: %!s(<nil>), key: <nil>')
    setMember(unsorted, String(key), built.value)
  }
  const out: JsonObject = {}
  for (const key of sortedKeys(unsorted)) setMember(out, key, unsorted[key] as Json)
  return out
}

/** A key as Go's `%#v` prints it. */
const keyText = (key: Key): string => (typeof key === 'string' ? quote(key) : key === null ? 'interface {}(nil)' : String(key))
