import type { Json, JsonObject } from '../api/meta/object.ts'
import { parseDuration } from '../lib/duration.ts'
import { errorMessage } from '../lib/error-message.ts'
import { isStepDone, runAtOnce, type Steps } from '../lib/steps.ts'
import { parseQuantity } from '../meta/quantity.ts'
import type { Detail } from '../meta/wording.ts'
import { base64Fault } from './base64.ts'
import { bySpelling, fitsInteger, orderedFields } from './members.ts'
import type { Field, ScalarSchema, Schema, StructSchema, UnionSchema } from './schema.ts'
import { timeFault } from './time.ts'

/** A value that does not match its type. The message is Go's. */
export class DecodeError extends Error {
  override readonly name = 'DecodeError'
  /** The message, with that of later releases. */
  readonly detail: Detail

  constructor(detail: Detail) {
    super(`${detail}`)
    this.detail = detail
  }
}

/** Literals that the parsed number does not determine (`1.0`), by the object or list that holds them. */
export type Literals = WeakMap<object, Map<string, string>>

/** Members, in order and with repetitions, of objects with repeated members. */
export type Repeated = ReadonlyMap<object, readonly (readonly [string, Json])[]>

/** Parse results that a diagnosis needs, and callbacks for the paths of unknown and repeated members. */
export interface DiagnoseOptions {
  readonly onUnknown?: ((path: string) => void) | undefined
  readonly onDuplicate?: (path: string) => void
  readonly literals?: Pick<Literals, 'get'> | undefined
  readonly repeated?: Repeated | undefined
}

interface Walk extends DiagnoseOptions {
  /** First error after which decoding continues. An error of a special form ends it. */
  saved: string | undefined
  /** JSON names from the root, without indices and map keys, as in Go's errors. */
  readonly names: string[]
  struct: string
  /** The enclosing walk within a type that decodes itself. Errors name its position. */
  readonly outer?: Walk
}

/**
 * Walks a value in its own order and throws a DecodeError with Go's message: the error of a special form (time,
 * quantity …) if there is one, otherwise of the first value of a wrong type. Reports unknown members, and repeated ones
 * that the type knows. Slower than decoding.
 */
export const diagnose = (schema: Schema, value: Json, options?: DiagnoseOptions): void => runAtOnce(diagnoseInSteps(schema, value, options))

/** Like `diagnose`, in steps, for values that may be large. */
export function* diagnoseInSteps(schema: Schema, value: Json, options: DiagnoseOptions = {}): Steps<void> {
  const walk: Walk = { ...options, saved: undefined, names: [], struct: '' }
  yield* visit(walk, schema, value, '', undefined)
  if (walk.saved !== undefined) throw new DecodeError(walk.saved)
}

const members = new WeakMap<StructSchema, ReadonlyMap<string, Field>>()

function memberMap(schema: StructSchema): ReadonlyMap<string, Field> {
  let map = members.get(schema)
  if (!map) {
    map = bySpelling(orderedFields(schema))
    members.set(schema, map)
  }
  return map
}

/**
 * Visits a value of any type. `path` is that of reports, with indices and keys; `literal` is the text of the value if
 * its number does not determine that.
 */
function* visit(walk: Walk, schema: Schema, value: Json, path: string, literal: string | undefined): Steps<void> {
  if (value === null || value === undefined) return
  switch (schema.type) {
    case 'struct':
      if (typeof value !== 'object' || Array.isArray(value)) mistyped(walk, schema, value, literal)
      else yield* visitStruct(walk, schema, value, path)
      return
    case 'map': {
      if (typeof value !== 'object' || Array.isArray(value)) {
        mistyped(walk, schema, value, literal)
        return
      }
      const texts = walk.literals?.get(value)
      for (const [key, member, at] of membersIn(walk, value, path, () => true)) {
        if (isStepDone()) yield
        yield* visit(walk, schema.values, member, at, texts?.get(key))
      }
      return
    }
    case 'list': {
      if (!Array.isArray(value)) {
        mistyped(walk, schema, value, literal)
        return
      }
      const texts = walk.literals?.get(value)
      for (const [index, item] of value.entries()) {
        if (isStepDone()) yield
        yield* visit(walk, schema.items, item, `${path}[${index}]`, texts?.get(String(index)))
      }
      return
    }
    case 'union':
      yield* visitUnion(walk, schema, value)
      return
    default:
      visitScalar(walk, schema, value, literal)
  }
}

/**
 * Visits members in the order of the text. Unknown ones are reported and not visited, unless the type preserves them.
 */
function* visitStruct(walk: Walk, schema: StructSchema, value: JsonObject, path: string): Steps<void> {
  const known = memberMap(schema)
  const { struct } = walk
  const texts = walk.literals?.get(value)
  for (const [key, member, at] of membersIn(walk, value, path, name => known.has(name))) {
    if (isStepDone()) yield
    const field = known.get(key)
    if (field === undefined) {
      if (!schema.preserveUnknown) walk.onUnknown?.(at)
      continue
    }
    walk.names.push(key)
    walk.struct = schema.name
    yield* visit(walk, field.schema, member, at, texts?.get(key))
    walk.names.pop()
    walk.struct = struct
  }
}

/** A union decodes itself: its unknown and repeated members are not reported, and its first error ends decoding. */
function* visitUnion(walk: Walk, { form, struct }: UnionSchema, value: Json): Steps<void> {
  const inner: Walk = {
    literals: walk.literals,
    repeated: walk.repeated,
    saved: undefined,
    names: [],
    struct: '',
    outer: walk.outer ?? walk,
  }
  if (Array.isArray(value)) {
    if (form === 'boolean') fatal('boolean or JSON schema expected')
    const items: Schema = form === 'list' ? struct : { type: 'string', goType: 'string' }
    for (const item of value) {
      if (isStepDone()) yield
      yield* visit(inner, items, item, '', undefined)
    }
  } else if (typeof value === 'object') yield* visit(inner, struct, value, '', undefined)
  else if (form === 'boolean' && typeof value !== 'boolean') fatal('boolean or JSON schema expected')
  if (inner.saved !== undefined) fatal(inner.saved)
}

/** Yields each member with its path, in the order of the text. Reports repeated members that the type knows. */
function* membersIn(
  walk: Walk,
  value: JsonObject,
  path: string,
  isKnown: (key: string) => boolean,
): Generator<readonly [key: string, member: Json, path: string]> {
  const prefix = path === '' ? '' : `${path}.`
  const repeated = walk.repeated?.get(value)
  if (repeated === undefined) {
    for (const key of Object.keys(value)) yield [key, value[key] ?? null, prefix + key]
    return
  }
  const seen = new Set<string>()
  for (const [key, member] of repeated) {
    const again = seen.has(key)
    seen.add(key)
    if (again && isKnown(key)) walk.onDuplicate?.(prefix + key)
    yield [key, member, prefix + key]
  }
}

/**
 * A mistyped value of a plain form is saved and decoding continues; an error of a form that decodes itself (quantity,
 * time, int-or-string) is thrown.
 */
function visitScalar(walk: Walk, schema: ScalarSchema, value: Json, literal: string | undefined): void {
  switch (schema.type) {
    case 'raw':
    case 'json':
      return
    case 'string':
      if (typeof value !== 'string') mistyped(walk, schema, value, literal)
      return
    case 'boolean':
      if (typeof value !== 'boolean') mistyped(walk, schema, value, literal)
      return
    case 'number':
      if (typeof value !== 'number' && typeof value !== 'bigint') mistyped(walk, schema, value, literal)
      return
    case 'integer':
      if (!isInteger(value, schema.goType, literal)) mistyped(walk, schema, value, literal)
      return
    case 'intOrString':
      if (typeof value !== 'string' && !isInteger(value, 'int32', literal)) fatal(mistake(walk, value, 'int32', literal))
      return
    case 'bytes':
      if (typeof value === 'string') {
        const at = base64Fault(value)
        if (at >= 0) walk.saved ??= `illegal base64 data at input byte ${at}`
      } else if (Array.isArray(value)) {
        for (const item of value)
          if (item !== null && !(typeof item === 'number' && Number.isInteger(item) && item >= 0 && item < 256))
            mistypedAs(walk, item, 'uint8', undefined)
      } else mistyped(walk, schema, value, literal)
      return
    case 'quantity': {
      const text = typeof value === 'string' ? value : (literal ?? (typeof value === 'object' ? '{' : String(value)))
      try {
        parseQuantity(text.trim())
      } catch (error) {
        fatal(errorMessage(error))
      }
      return
    }
    case 'time':
    case 'microTime': {
      if (typeof value !== 'string') fatal(mistake(walk, value, 'string', literal))
      const fault = timeFault(value, schema.type === 'microTime')
      if (fault !== undefined) fatal(fault)
      return
    }
    case 'duration':
      if (typeof value !== 'string') fatal(mistake(walk, value, 'string', literal))
      try {
        parseDuration(value)
      } catch (error) {
        fatal(errorMessage(error))
      }
  }
}

const isInteger = (value: Json, goType: string, literal: string | undefined): boolean =>
  (typeof value === 'number' || typeof value === 'bigint') &&
  fitsInteger(value, goType) &&
  (literal === undefined || /^-?\d+$/.test(literal))

/** Throws an error that ends decoding. */
function fatal(message: string): never {
  throw new DecodeError(message)
}

/** Records an error after which decoding continues. Go returns the first of them. */
function mistyped(walk: Walk, schema: Schema, value: Json, literal: string | undefined): void {
  mistypedAs(walk, value, schemaGoType(schema), literal)
}

function mistypedAs(walk: Walk, value: Json, type: string, literal: string | undefined): void {
  walk.saved ??= mistake(walk, value, type, literal)
}

/** Formats Go's UnmarshalTypeError. */
function mistake(walk: Walk, value: Json, type: string, literal: string | undefined): string {
  const { names, struct } = walk.outer ?? walk
  const where = names.length === 0 ? 'value' : `struct field ${struct}.${names.join('.')}`
  return `json: cannot unmarshal ${valueKind(value, type, literal)} into Go ${where} of type ${type}`
}

/** Go's name of the kind of a value; `number 1.5` if the type accepts numbers, but not this one. */
function valueKind(value: Json, type: string, literal: string | undefined): string {
  if (typeof value === 'number' || typeof value === 'bigint')
    return /^(u?int\d*|float\d+)$/.test(type) ? `number ${literal ?? value}` : 'number'
  if (typeof value === 'string') return 'string'
  if (typeof value === 'boolean') return 'bool'
  return Array.isArray(value) ? 'array' : 'object'
}

/** Go's name of a type with its package, the version: `v1.ObjectMeta`, `[]v1.Container`, `map[string]string`. */
function schemaGoType(schema: Schema): string {
  switch (schema.type) {
    case 'struct':
      return `${schema.definition?.split('.').at(-2) ?? 'v1'}.${schema.name}`
    case 'union':
      return `v1.${schema.name}`
    case 'list':
      return `[]${schema.pointerItems ? '*' : ''}${schemaGoType(schema.items)}`
    case 'map':
      return schema.values.type === 'quantity' ? 'v1.ResourceList' : `map[string]${schemaGoType(schema.values)}`
    default:
      return schema.goType
  }
}
