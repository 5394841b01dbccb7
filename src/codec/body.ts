import { isJsonObject, type Json, type JsonObject } from '../api/meta/object.ts'
import { quote } from '../lib/go-quote.ts'
import { runAtOnce, runIfSteps, type Steps } from '../lib/steps.ts'
import { setMember } from '../meta/equal.ts'
import { DecodeError, decodeInSteps } from '../schema/decode.ts'
import { diagnoseInSteps } from '../schema/diagnose.ts'
import type { FormName, Schema, StructSchema } from '../schema/schema.ts'
import type { ParsedJson } from './json-exact.ts'
import { type ParsedYaml, repeatedKeysText, untypedValue } from './yaml.ts'

/** A decoded body, before defaulting. */
export interface DecodedBody {
  readonly object: JsonObject
  /**
   * Errors of strict field validation, as warnings print them: `duplicate field "data"`, `unknown field "spec.foo"`,
   * `line 7: key "k" already set in map`.
   */
  readonly strict: readonly string[]
  /** The same errors as one text, which follows `strict decoding error: `. */
  readonly strictText: string
}

/** Limit of sigs.k8s.io/json on collected errors. */
const MAX_STRICT = 100

/** Like `decodeBodyInSteps`, in one call, for the operator's own files. */
export const decodeBody = (schema: StructSchema, parsed: ParsedJson | ParsedYaml): DecodedBody =>
  runAtOnce(decodeBodyInSteps(schema, parsed))

/**
 * Decodes a parsed body into a type. Reports at most 100 strict errors, each once, in upstream's order. A step is one
 * walk through the value. Throws DecodeError.
 */
export function* decodeBodyInSteps(schema: StructSchema, parsed: ParsedJson | ParsedYaml): Steps<DecodedBody> {
  if (!('yaml' in parsed)) return yield* decodeParsed(schema, parsed)
  const decoded = yield* decodeParsed(schema, yield* runIfSteps(READERS[schema.form.name].ofYaml(parsed)))
  if (parsed.duplicates.length === 0) return decoded
  const first = repeatedKeysText(parsed.duplicates)
  return {
    ...decoded,
    strict: [...parsed.duplicates, ...decoded.strict],
    strictText: decoded.strictText === '' ? first : `${first}, ${decoded.strictText}`,
  }
}

/** Merges repeated members and restores literals first, because decoding sees each member once. */
function* decodeParsed(schema: StructSchema, parsed: ParsedJson): Steps<DecodedBody> {
  const strict = new Set<string>()
  const reporter = (what: string) => {
    // A path can occur as often as the body has members, and quoting it costs more than looking it up.
    let reported: Set<string> | undefined
    return (path: string) => {
      if (strict.size >= MAX_STRICT || reported?.has(path)) return
      reported ??= new Set()
      reported.add(path)
      strict.add(`${what} field ${quote(path)}`)
    }
  }
  const object = yield* READERS[schema.form.name].object(schema, parsed, {
    onUnknown: reporter('unknown'),
    onDuplicate: reporter('duplicate'),
  })
  return { object, strict: [...strict], strictText: [...strict].join(', ') }
}

/** Receives the paths of members that strict field validation reports. */
interface Complaints {
  onUnknown(path: string): void
  onDuplicate(path: string): void
}

interface BodyReader {
  /** Converts YAML to what parsing the equivalent JSON returns. */
  ofYaml(parsed: ParsedYaml): ParsedJson | Steps<ParsedJson>
  object(schema: StructSchema, parsed: ParsedJson, complaints: Complaints): Steps<JsonObject>
}

const READERS: Readonly<Record<FormName, BodyReader>> = {
  typed: {
    ofYaml: ({ value }) => ({ value, duplicates: [] }),
    *object(schema, parsed, { onUnknown, onDuplicate }) {
      const { value, literals, repeated } = parsed
      if (!literals && !repeated) return yield* decodeInSteps(schema, value, { onUnknown, keepEmpty: true })
      yield* diagnoseInSteps(schema, value, { onUnknown, onDuplicate, literals, repeated })
      yield
      const settled = settle(parsed, value, { schema })
      yield
      return yield* decodeInSteps(schema, settled, { keepEmpty: true })
    },
  },
  unstructured: {
    *ofYaml(parsed) {
      return { value: yield* untypedValue(parsed), duplicates: [] }
    },
    *object(schema, { value, duplicates, tooLarge }, { onUnknown, onDuplicate }) {
      if (tooLarge !== undefined) throw new DecodeError(`json: cannot unmarshal number ${tooLarge} into Go value of type float64`)
      duplicates.forEach(onDuplicate)
      return yield* decodeInSteps(schema, value, { onUnknown, keepEmpty: true })
    },
  },
}

/**
 * Returns the value that decoding sees if members are repeated: those of a type are merged, of others the last one
 * counts.
 */
export const mergeRepeated = (schema: StructSchema, parsed: ParsedJson): Json =>
  parsed.repeated !== undefined && schema.form.name === 'typed' ? settle(parsed, parsed.value, { schema }) : parsed.value

/** A variable that Go would decode a value into. */
interface GoVariable {
  readonly schema: Schema | undefined
  /** Value of the variable before decoding. */
  readonly before?: Json | undefined
  /** Text of the value, if the parsed value cannot represent it. */
  readonly literal?: string | undefined
  /** Whether the variable is a pointer, which null sets to nil. */
  readonly pointer?: boolean
}

/**
 * Merges the repeated members of a value, as decoding one after the other into the same variable does: structs, maps
 * and list items are merged, and null leaves a scalar unchanged. Quantities keep the digits that were sent.
 */
function settle(parsed: ParsedJson, value: Json, { schema, before, literal, pointer = false }: GoVariable): Json {
  if (value === null) return before !== undefined && !pointer && keepsNull(schema) ? before : null
  if (typeof value !== 'object') return literal !== undefined && schema?.type === 'quantity' ? literal : value
  const literals = parsed.literals?.get(value)
  if (Array.isArray(value)) {
    const items = schema?.type === 'list' ? schema.items : undefined
    const earlier = Array.isArray(before) ? before : []
    return value.map((item, index) =>
      settle(parsed, item, { schema: items, before: earlier[index], literal: literals?.get(String(index)) }),
    )
  }
  if (schema?.type !== 'struct' && schema?.type !== 'map') return value
  const out: JsonObject = isJsonObject(before) ? { ...before } : {}
  for (const [key, member] of parsed.repeated?.get(value) ?? Object.entries(value)) {
    const field = schema.type === 'struct' ? schema.fields.get(key) : undefined
    const known = schema.type === 'struct' && Object.hasOwn(out, key) ? out[key] : undefined
    const inner = schema.type === 'map' ? schema.values : field?.schema
    setMember(
      out,
      key,
      settle(parsed, member, { schema: inner, before: known, literal: literals?.get(key), pointer: field?.pointer === true }),
    )
  }
  return out
}

/** Whether decoding null leaves a variable of this type unchanged. */
const keepsNull = (schema: Schema | undefined): boolean =>
  schema?.type === 'struct' ||
  schema?.type === 'string' ||
  schema?.type === 'integer' ||
  schema?.type === 'boolean' ||
  schema?.type === 'number'

/**
 * Returns the kind and apiVersion of a body; both are empty if unset. Member names are matched without case. Throws
 * DecodeError with upstream's text.
 */
export function typeOfBody(value: Json): { apiVersion: string; kind: string } {
  const claimed = { apiVersion: '', kind: '' }
  if (value === null) return claimed
  const wrong = (what: string): DecodeError =>
    new DecodeError(`couldn't get version/kind; json parse error: json: cannot unmarshal ${what}`)
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw wrong(
      `${goTypeName(value)} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
    )
  }
  for (const key of Object.keys(value)) {
    const lower = key.toLowerCase()
    const name = lower === 'kind' ? 'kind' : lower === 'apiversion' ? 'apiVersion' : undefined
    const member = value[key]
    if (name === undefined || member === undefined || member === null) continue
    if (typeof member !== 'string') throw wrong(`${goTypeName(member)} into Go struct field .${name} of type string`)
    claimed[name] = member
  }
  return claimed
}

/** Go's name of a JSON type, as UnmarshalTypeError prints it. */
function goTypeName(value: Json): string {
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'bigint') return 'number'
  return Array.isArray(value) ? 'array' : typeof value
}
