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
import { octetFault } from './yaml-octets.ts'
import { MAX_DEPTH, type ParsedYaml, treeOf, YamlError } from './yaml-tree.ts'

export { type ParsedYaml, YamlError } from './yaml-tree.ts'
export { yamlBytes, yamlInSteps } from './yaml-writer.ts'

/** Upstream's strict decoding reports all repeated keys in one error, under these words. */
export const repeatedKeysText = (duplicates: readonly string[]): string => `yaml: unmarshal errors:\n${duplicates.map(line => `  ${line}`).join('\n')}`

const LONG_TEXT = 64 * 1024

/** Parses the first document of a YAML text (or JSON, which is YAML). An empty text is null. Throws YamlError. */
export const parseYaml = (bytes: Buffer): ParsedYaml => runAtOnce(parseYamlInSteps(bytes))

/** The same in steps, for bodies that may be large. */
export function* parseYamlInSteps(bytes: Buffer): Steps<ParsedYaml> {
  const fault = octetFault(bytes)
  if (fault) throw new YamlError(controlCharacter.test(textOf(bytes.subarray(0, fault.at))) ? CONTROL_CHARACTER : `yaml: ${fault.text}`)
  const source = firstDocument(textOf(bytes))
  yield
  if (controlCharacter.test(source)) throw new YamlError(CONTROL_CHARACTER)
  yield
  try {
    const json = yield* asJson(source)
    if (json !== undefined) return { yaml: true, value: json, duplicates: [], hasUint64: false }
    yield
    // What go-yaml refuses, and why, is known of texts that are read in a few milliseconds; of longer ones it is told as far as js-yaml knows.
    const { fault, end = source.length }: GoYamlForm = source.length <= LONG_TEXT ? goYamlForm(source) : {}
    if (fault !== undefined) throw new YamlError(fault)
    yield
    return yield* treeOfText(source.slice(0, end))
  } catch (error) {
    if (error instanceof YAMLException) throw new YamlError(yamlFault(error, source))
    // The parser is recursive: the stack ends before the depth does.
    if (error instanceof RangeError) throw new YamlError(depthFault(source, MAX_DEPTH))
    throw error
  }
}

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

function eventsOf(text: string): Event[] | YAMLException {
  try {
    return parseEvents(text, { filename: '', maxDepth: MAX_DEPTH })
  } catch (error) {
    if (error instanceof YAMLException) return error
    throw error
  }
}

/** The value of a text that is read into no type: there Go holds integers beyond int64 as floats. Changes the parsed value. */
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

/** Of JSON that YAML reads otherwise, or not at all: what it takes for ends of lines, tabs, keys that merge, `\/`, a key and its colon on two lines. */
const otherwiseInYaml = /[\t\u0085\u2028\u2029]|"<<"|\\\/|"[^\S\r\n]*[\r\n]\s*:/

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
  return yield* sortedJsonInSteps(value)
}

function hasLongKey(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.some(hasLongKey)
  for (const key in value) if (key.length > LONGEST_KEY || hasLongKey(value[key] ?? null)) return true
  return false
}

/** What may not stand in YAML, not even in quotes (YAML 1.1, section 5.1). */
const CONTROL_CHARACTER = 'yaml: control characters are not allowed'

/** Without a byte order mark. */
const textOf = (bytes: Buffer): string => bytes.toString('utf8').replace(/^\ufeff/, '')

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
