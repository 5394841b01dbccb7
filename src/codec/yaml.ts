import type { Json, JsonObject } from '../api/meta/object.ts'
import { MAX_INT64 } from '../lib/integer.ts'
import { isStepDone, runAtOnce, type Steps } from '../lib/steps.ts'
import { memberNames } from '../lib/wide-objects.ts'
import { setMember } from '../meta/equal.ts'
import { sortedJsonInSteps } from '../schema/members.ts'
import { parsePlain } from './json.ts'
import type { YamlEvent } from './yaml-event.ts'
import { parseDocument } from './yaml-parse.ts'
import { decodeYaml } from './yaml-source.ts'
import { type ParsedYaml, TreeBuilder, YamlError } from './yaml-tree.ts'

export { type ParsedYaml, YamlError } from './yaml-tree.ts'
export { yamlBytes, yamlInSteps } from './yaml-writer.ts'

/** Text of upstream's strict decoding error, which lists all repeated keys. */
export const repeatedKeysText = (duplicates: readonly string[]): string =>
  `yaml: unmarshal errors:\n${duplicates.map(line => `  ${line}`).join('\n')}`

/** Parses the first document of a YAML or JSON text. An empty text is null. Throws YamlError. */
export const parseYaml = (bytes: Buffer): ParsedYaml => runAtOnce(parseYamlInSteps(bytes))

/** Like `parseYaml`, in steps, for texts that may be large. */
export const parseYamlInSteps = (bytes: Buffer): Steps<ParsedYaml> => parseWith(bytes, new ValueBuilder(false))

/** `parseYamlInSteps` for a client's text. Throws 413 if it has too many values, or an object too many members. */
export const parseYamlBody = (bytes: Buffer): Steps<ParsedYaml> => parseWith(bytes, new ValueBuilder(true))

function* parseWith(bytes: Buffer, tree: ValueBuilder): Steps<ParsedYaml> {
  const { text, fault: readerFault } = yield* decodeYaml(bytes)
  yield
  const json = readerFault === undefined ? yield* asJson(text) : undefined
  if (json !== undefined) return { yaml: true, value: json, duplicates: [], hasUint64: false }
  yield
  const fault = yield* parseDocument(text, events => tree.takeAll(events), readerFault)
  if (fault !== undefined) throw new YamlError(fault)
  return tree.parsed()
}

/** Builds the value while the text is parsed. Errors of the text come before errors of the value. */
class ValueBuilder {
  readonly #tree: TreeBuilder
  #error: Error | undefined

  constructor(isBounded: boolean) {
    this.#tree = new TreeBuilder(isBounded)
  }

  *takeAll(events: readonly YamlEvent[]): Steps<void> {
    if (this.#error !== undefined) return
    try {
      yield* this.#tree.takeAll(events)
    } catch (error) {
      // Aliases copy a value, and faults print one, recursively: the stack can overflow before the depth limit is
      // reached.
      if (error instanceof RangeError) this.#error = new YamlError('yaml: the text is nested too deeply')
      else if (error instanceof YamlError) this.#error = error
      else throw error
    }
  }

  parsed(): ParsedYaml {
    if (this.#error !== undefined) throw this.#error
    return this.#tree.parsed()
  }
}

/**
 * Converts a value that is decoded without a type, where Go represents integers beyond int64 as floats. Modifies the
 * parsed value.
 */
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

/**
 * Matches JSON that YAML reads differently or not at all: YAML's additional line breaks, tabs, merge keys, `\/`, and a
 * key and its colon on two lines.
 */
const OTHERWISE_IN_YAML = /[\t\u0085\u2028\u2029]|"<<"|\\\/|"[^\S\r\n]*[\r\n]\s*:/

/** Limit of YAML on keys without an indicator, in characters. */
const LONGEST_KEY = 1000

/**
 * Parses a text that is JSON and has the same value in YAML, as most applied configurations are. Undefined for any
 * other text. The YAML parser takes ten times as long for each value.
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
      for (const key of yield* memberNames(value)) {
        if (isStepDone()) yield
        if (key.length > LONGEST_KEY) return true
        open(value[key] ?? null)
      }
  }
  return false
}
