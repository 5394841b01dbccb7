import { runAtOnce, type Steps } from '../lib/steps.ts'
import { setMember } from '../meta/equal.ts'
import type { Json, JsonObject } from '../meta/object.ts'
import { DecodeError, diagnose } from './diagnose.ts'
import { bySpelling, isHigh, membersOf, sortedKeys } from './members.ts'
import { MISFIT, type Reader, scalarReader } from './scalar-readers.ts'
import type { Field, ListSchema, MapSchema, Schema, StructSchema, UnionSchema } from './schema.ts'

export { DecodeError } from './diagnose.ts'

export interface DecodeOptions {
  /** Told the path (`spec.ports[0].bar`) of each member that no field names, in the order of the value. */
  readonly onUnknown?: (path: string) => void
  /** Empty lists and maps that are always written stay, as in Go before the object is stored: messages and field owners tell them from nil. */
  readonly keepEmpty?: boolean
}

/**
 * What Go's decoding into the type's struct, and encoding again, makes of a value: a fresh object with its members in declared order, zero values dropped where
 * the field says so, structs that are no pointers always there, special forms canonical, unknown members gone. Raw members are shared with the input, not copied. Empty lists, maps and bytes become what storing them as
 * protobuf makes of nil: null where the member is always written.
 * Throws a DecodeError with the text that sigs.k8s.io/json gives for the first mistake.
 */
export function decode(schema: StructSchema, value: Json, options?: DecodeOptions): JsonObject {
  if (schema.freeForm) return runAtOnce(schema.freeForm.read(value, options?.onUnknown))
  unknownSeen = false
  keepsEmpty = options?.keepEmpty === true
  try {
    const out = structReader(schema)(value)
    if (unknownSeen && options?.onUnknown) diagnose(schema, value, options)
    return out
  } catch (error) {
    if (error !== MISFIT) throw error
    diagnose(schema, value)
    throw new DecodeError(`json: cannot unmarshal the value into ${schema.name}`)
  }
}

/** The same, in steps where the value is of a custom kind: that takes several walks through it. */
export function* decodeInSteps(schema: StructSchema, value: Json, options?: DecodeOptions): Steps<JsonObject> {
  return schema.freeForm ? yield* schema.freeForm.read(value, options?.onUnknown) : decode(schema, value, options)
}

const EMPTY: JsonObject = Object.freeze(Object.create(null))

/** Whether empty lists and maps that are always written stay. */
let keepsEmpty = false
/** Set by any struct reader that meets a member without a field. */
let unknownSeen = false
/** Whether the map that was read last has no members: asking a map of 100,000 costs as much as a walk through it. */
let emptyMapRead = false

/** Reads the value of a field; undefined where the member is left out. */
type FieldReader = (value: Json) => Json | undefined

interface Plan {
  readonly name: string
  readonly alias: string | undefined
  readonly index: number
  readonly read: FieldReader
  /** What stands there when the member is absent; undefined: nothing. */
  readonly zero: (() => Json) | undefined
}

const structs = new WeakMap<StructSchema, Reader<JsonObject>>()

/** The reader of a struct, built when first asked for: types are recursive, and most are never met. */
function structReader(schema: StructSchema): Reader<JsonObject> {
  const known = structs.get(schema)
  if (known) return known
  let compiled: Reader<JsonObject> | undefined
  const reader: Reader<JsonObject> = value => {
    compiled ??= compileStruct(schema)
    return compiled(value)
  }
  structs.set(schema, reader)
  return reader
}

function compileStruct(schema: StructSchema): Reader<JsonObject> {
  const plans = membersOf(schema).map((field, index): Plan => ({ name: field.name, alias: field.alias, index, ...compileField(field) }))
  const byName = bySpelling(plans)
  const always = plans.filter(plan => plan.zero !== undefined)
  const keepUnknown = schema.preserveUnknown === true

  const finish = (out: JsonObject, from: number, before: number): number => {
    let next = from
    for (; next < always.length; next++) {
      const plan = always[next] as Plan
      if (plan.index >= before) break
      out[plan.name] = (plan.zero as () => Json)()
    }
    return next
  }
  const put = (out: JsonObject, plan: Plan, raw: Json): void => {
    const read = plan.read(raw)
    if (read !== undefined) out[plan.name] = read
  }
  const keep = (out: JsonObject, value: JsonObject): void => {
    for (const key of Object.keys(value)) if (!byName.has(key)) setMember(out, key, value[key] as Json)
  }

  /** For an object whose members stand in another order. What was read before `from`, the first that is out of order, is in `done`: nothing is read twice, however deep it is. */
  const unordered = (value: JsonObject, done: JsonObject, from: string): JsonObject => {
    const present: { readonly plan: Plan; readonly key: string; readonly isDone: boolean }[] = []
    let isDone = true
    for (const key in value) {
      if (key === from) isDone = false
      const plan = byName.get(key)
      if (plan === undefined) unknownSeen = true
      if (plan === undefined || value[key] === undefined) continue
      let at = present.length
      while (at > 0 && (present[at - 1] as { plan: Plan }).plan.index > plan.index) {
        present[at] = present[at - 1] as (typeof present)[0]
        at--
      }
      present[at] = { plan, key, isDone }
    }
    const out: JsonObject = {}
    let next = 0
    for (const { plan, key, isDone } of present) {
      next = finish(out, next, plan.index)
      if (always[next] === plan) next++
      if (!isDone) put(out, plan, value[key] as Json)
      else if (done[plan.name] !== undefined) out[plan.name] = done[plan.name] as Json
    }
    finish(out, next, plans.length)
    return out
  }

  return value => {
    let source = value as JsonObject
    if (value === null || value === undefined) source = EMPTY
    else if (typeof value !== 'object' || Array.isArray(value)) throw MISFIT
    let out: JsonObject = {}
    let last = -1
    let next = 0
    for (const key in source) {
      const plan = byName.get(key)
      if (plan === undefined) {
        unknownSeen = true
        continue
      }
      const raw = source[key] as Json
      if (raw === undefined) continue
      if (plan.index < last) {
        out = unordered(source, out, key)
        next = always.length
        break
      }
      last = plan.index
      if (next < always.length) {
        next = finish(out, next, last)
        if (always[next] === plan) next++
      }
      put(out, plan, raw)
    }
    if (next < always.length) finish(out, next, plans.length)
    if (keepUnknown) keep(out, source)
    return out
  }
}

function compileField(field: Field): Pick<Plan, 'read' | 'zero'> {
  const { schema, omitEmpty, pointer } = field
  const read = reader(schema)
  if (pointer) {
    if (omitEmpty) return { read: v => (v === null ? undefined : read(v)), zero: undefined }
    return { read: v => (v === null ? null : read(v)), zero: () => null }
  }
  switch (schema.type) {
    case 'struct':
      return { read, zero: () => read(null) }
    case 'list':
    case 'map': {
      if (!omitEmpty && schema.type === 'map') {
        const readOrNull: FieldReader = v => {
          if (v === null) return null
          const map = read(v)
          return emptyMapRead && !keepsEmpty ? null : map
        }
        return { read: readOrNull, zero: () => null }
      }
      if (!omitEmpty) return { read: v => (v === null || (isEmpty(v) && !keepsEmpty) ? (emptyOrMisfit(v, read) ?? null) : read(v)), zero: () => null }
      if (schema.type === 'list') return { read: v => (v === null || isEmpty(v) ? emptyOrMisfit(v, read) : read(v)), zero: undefined }
      return {
        read: v => {
          if (v === null) return undefined
          const map = read(v)
          return emptyMapRead ? undefined : map
        },
        zero: undefined,
      }
    }
    case 'bytes':
      return omitEmpty ? { read: v => (v === null ? undefined : read(v) || undefined), zero: undefined } : { read, zero: () => null }
    case 'string':
      if (!omitEmpty) return { read, zero: () => '' }
      return {
        read: v => {
          if (typeof v === 'string') return v === '' ? undefined : v
          if (v === null) return undefined
          throw MISFIT
        },
        zero: undefined,
      }
    case 'integer':
    case 'number':
    case 'boolean':
      if (!omitEmpty) return { read, zero: schema.type === 'boolean' ? () => false : () => 0 }
      return { read: v => read(v) || undefined, zero: undefined }
    default:
      return { read, zero: () => read(null) }
  }
}

/** Whether a value has no members; a string of no characters has none, either. */
function isEmpty(value: Json): boolean {
  if (Array.isArray(value)) return value.length === 0
  for (const _ in value as JsonObject) return false
  return true
}

/** Refuses an empty value of a wrong type. */
function emptyOrMisfit(value: Json, read: Reader): undefined {
  if (value !== null) read(value)
  return undefined
}

function reader(schema: Schema): Reader {
  switch (schema.type) {
    case 'struct':
      return structReader(schema)
    case 'list':
      return listReader(schema)
    case 'map':
      return mapReader(schema)
    case 'union':
      return unionReader(schema)
    default:
      return scalarReader(schema)
  }
}

/** Go reads such a type by itself: members that no field names are dropped from it unsaid. */
function unionReader({ form, struct }: UnionSchema): Reader {
  const readStruct = structReader(struct)
  const quietly = (value: Json): JsonObject => {
    const seen = unknownSeen
    const out = readStruct(value)
    unknownSeen = seen
    return out
  }
  const text = scalarReader({ type: 'string', goType: 'string' })
  return value => {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return quietly(value)
    if (form === 'boolean') {
      if (typeof value === 'boolean') return value
      throw MISFIT
    }
    if (!Array.isArray(value) || value.length === 0) return null
    return value.map(form === 'list' ? quietly : text)
  }
}

function listReader(schema: ListSchema): Reader {
  const item = reader(schema.items)
  const nullable = schema.pointerItems === true
  return value => {
    if (value === null) return null
    if (!Array.isArray(value)) throw MISFIT
    const out: Json[] = []
    for (const element of value) out.push(nullable && element === null ? null : item(element))
    return out
  }
}

function mapReader(schema: MapSchema): Reader {
  const read = reader(schema.values)
  return value => {
    if (value === null) return null
    if (typeof value !== 'object' || Array.isArray(value)) throw MISFIT
    const out: JsonObject = {}
    let before = ''
    let any = false
    for (const key in value) {
      if (key < before || key === '__proto__' || isHigh(key)) return unsortedMap(value, read, out)
      before = key
      out[key] = read(value[key] as Json)
      any = true
    }
    emptyMapRead = !any
    return out
  }
}

/** `done`: the members that have been read already. */
function unsortedMap(value: JsonObject, read: Reader, done: JsonObject): JsonObject {
  const out: JsonObject = {}
  for (const key of sortedKeys(value)) setMember(out, key, Object.hasOwn(done, key) ? (done[key] as Json) : read(value[key] as Json))
  emptyMapRead = false
  return out
}
