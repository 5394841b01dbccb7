import { type Event, parseEvents, YAMLException } from 'js-yaml'
import { MAX_INT64 } from '../lib/integer.ts'
import { isStepDone, runAtOnce, type Steps } from '../lib/steps.ts'
import { setMember } from '../meta/equal.ts'
import type { Json, JsonObject } from '../meta/object.ts'
import { sortedJsonInSteps } from '../schema/members.ts'
import { parsePlain } from './json.ts'
import { indentContinuations } from './yaml-continuations.ts'
import { depthFault, yamlFault } from './yaml-fault.ts'
import { type GoYamlForm, goYamlForm } from './yaml-grammar.ts'
import { decodeYaml } from './yaml-source.ts'
import { MAX_DEPTH, type ParsedYaml, treeOf, YamlError } from './yaml-tree.ts'

export { type ParsedYaml, YamlError } from './yaml-tree.ts'
export { yamlBytes, yamlInSteps } from './yaml-writer.ts'

/** Text of upstream's strict decoding error, which lists all repeated keys. */
export const repeatedKeysText = (duplicates: readonly string[]): string => `yaml: unmarshal errors:\n${duplicates.map(line => `  ${line}`).join('\n')}`

const LONG_TEXT = 64 * 1024

/** Parses the first document of a YAML or JSON text. An empty text is null. Throws YamlError. */
export const parseYaml = (bytes: Buffer): ParsedYaml => runAtOnce(parseYamlInSteps(bytes))

/** Like `parseYaml`, in steps, for bodies that may be large. */
export function* parseYamlInSteps(bytes: Buffer): Steps<ParsedYaml> {
  const { text, fault: octets } = decodeYaml(bytes)
  if (octets !== undefined) throw new YamlError(REFUSED_CHARACTER.test(text) ? CONTROL_CHARACTER : `yaml: ${octets}`)
  yield
  const source = firstDocument(text)
  yield
  if (REFUSED_CHARACTER.test(source)) throw new YamlError(CONTROL_CHARACTER)
  yield
  try {
    const json = yield* asJson(source)
    if (json !== undefined) return { yaml: true, value: json, duplicates: [], hasUint64: false }
    yield
    // go-yaml's grammar is only checked for texts that it scans in a few milliseconds. For longer ones, only js-yaml's faults are reported.
    const { fault, end = source.length }: GoYamlForm = source.length <= LONG_TEXT ? yield* goYamlForm(source) : {}
    if (fault !== undefined) throw new YamlError(fault)
    yield
    return yield* treeOfText(source.slice(0, end))
  } catch (error) {
    if (error instanceof YAMLException) throw new YamlError(yamlFault(error, source))
    // The parser is recursive: the stack can overflow before the depth limit is reached.
    if (error instanceof RangeError) throw new YamlError(depthFault(source, MAX_DEPTH))
    throw error
  }
}

/** Parses a text with js-yaml. If js-yaml rejects it, retries with indented continuation lines, which go-yaml accepts. */
function* treeOfText(source: string): Steps<ParsedYaml> {
  let parsed = eventsOf(source)
  yield
  let text = source
  if (parsed instanceof YAMLException) {
    const indented = yield* indentContinuations(source)
    yield
    if (indented !== undefined) {
      text = indented
      parsed = eventsOf(text)
      yield
    }
  }
  if (parsed instanceof YAMLException) throw new YamlError(yamlFault(parsed, text))
  return yield* treeOf(parsed, text)
}

/** Returns the events of js-yaml's parser, or its error. Throws a RangeError if the stack overflows. */
function eventsOf(text: string): Event[] | YAMLException {
  try {
    return parseEvents(text, { filename: '', maxDepth: MAX_DEPTH })
  } catch (error) {
    if (error instanceof YAMLException) return error
    throw error
  }
}

/** Converts a value that is decoded without a type, where Go represents integers beyond int64 as floats. Modifies the parsed value. */
export function* untypedValue({ value, hasUint64 }: ParsedYaml): Steps<Json> {
  if (!hasUint64) return value
  const root: [Json] = [value]
  const containers: (JsonObject | Json[])[] = [root]
  for (let container = containers.pop(); container !== undefined; container = containers.pop())
    for (const [key, member] of Object.entries(container)) {
      if (isStepDone()) yield
      if (typeof member === 'object' && member !== null) containers.push(member)
      else if (typeof member === 'bigint' && member > MAX_INT64) setMember(container, key, Number(member))
    }
  return root[0]
}

/** Matches JSON that YAML reads differently or not at all: YAML's additional line breaks, tabs, merge keys, `\/`, and a key and its colon on two lines. */
const OTHERWISE_IN_YAML = /[\t\u0085\u2028\u2029]|"<<"|\\\/|"[^\S\r\n]*[\r\n]\s*:/

/** Limit of YAML on keys without an indicator, in characters. */
const LONGEST_KEY = 1000

/**
 * Parses a text that is JSON and has the same value in YAML, as most applied configurations are. Undefined for any other text. The YAML parser takes ten times
 * as long for each value.
 */
function* asJson(source: string): Steps<Json | undefined> {
  if (!source.startsWith('{') || OTHERWISE_IN_YAML.test(source)) return undefined
  yield
  const value = yield* parsePlain(source)
  yield
  if (value === undefined || (yield* hasLongKey(value))) return undefined
  yield
  return yield* sortedJsonInSteps(value)
}

/** Whether an object at any depth has a key that YAML only accepts with an indicator. */
function* hasLongKey(root: Json): Steps<boolean> {
  const left: Json[] = [root]
  const open = (member: Json): void => {
    if (typeof member === 'object' && member !== null) left.push(member)
  }
  for (let value = left.pop(); value !== undefined; value = left.pop()) {
    if (isStepDone()) yield
    if (typeof value !== 'object' || value === null) continue
    if (Array.isArray(value)) value.forEach(open)
    else
      for (const key in value) {
        if (isStepDone()) yield
        if (key.length > LONGEST_KEY) return true
        open(value[key] ?? null)
      }
  }
  return false
}

/** Error for characters that YAML does not allow even in quotes (YAML 1.1, section 5.1). */
const CONTROL_CHARACTER = 'yaml: control characters are not allowed'

const REFUSED_CHARACTER = /[^\t\n\r -~\u0085\u00a0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u

const SEPARATOR = /^(?:---|\.\.\.)(?=[ \t\r\n]|$)/gm

/** Returns the text of the first document. Later documents are ignored. */
function firstDocument(text: string): string {
  let begun = false
  for (const match of text.matchAll(SEPARATOR)) {
    const before = text.slice(0, match.index)
    if (begun || match[0] === '...' || before.replace(/^[ \t]*#.*$|^%.*$/gm, '').trim() !== '') return before
    begun = true
  }
  return text
}
