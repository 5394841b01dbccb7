import { isJsonObject, type Json, type JsonObject } from '../../../api/meta/object.ts'
import { PatchError, PatchTestError } from '../../../apply/patch/error.ts'
import { jsonPatchSteps } from '../../../apply/patch/json.ts'
import { secondsText } from '../../../cel/functions/conversions.ts'
import { StructValue } from '../../../cel/values/struct.ts'
import { timestampText } from '../../../cel/values/time.ts'
import {
  CelDouble,
  CelDuration,
  CelList,
  CelMap,
  CelOptional,
  CelTimestamp,
  CelType,
  CelUint,
  isInt,
  typeNameOf,
  type Value,
} from '../../../cel/values/value.ts'
import { isStepDone, type Steps } from '../../../lib/steps.ts'
import { setMember } from '../../../meta/equal.ts'
import { reflectType } from './go-type.ts'
import { MutationError } from './mutation-error.ts'
import { plainStruct } from './plain-values.ts'
import { checkTypeNames } from './type-names.ts'

/**
 * Applies the JSON patch that an expression returned to a document. Returns the document unchanged if a test operation
 * fails. Throws a MutationError. Runs in steps.
 */
export function* applyJsonPatch(document: JsonObject, value: Value): Steps<JsonObject> {
  const operations = yield* operationsOf(value)
  // Upstream's library never finds a null from an expression equal to one in the document, so such a test always fails.
  // Operations before it may fail with other errors.
  const failing = operations.findIndex(operation => operation.op === 'test' && operation.value === null)
  try {
    const patched = yield* jsonPatchSteps(document, failing < 0 ? operations : operations.slice(0, failing))
    if (failing >= 0) return document
    return isJsonObject(patched) ? patched : {}
  } catch (error) {
    if (error instanceof PatchTestError) return document
    throw error instanceof PatchError ? new MutationError(`JSON Patch: ${error.message}`) : error
  }
}

/**
 * Parses the result of a JSONPatch expression. Throws a MutationError unless it is a list of JSONPatch. Runs in steps.
 */
function* operationsOf(value: Value): Steps<JsonObject[]> {
  if (!(value instanceof CelList)) throw new MutationError('type mismatch: JSONPatchType.expression should evaluate to array')
  const operations: JsonObject[] = []
  for (let i = 0; i < value.size; i++) {
    const item = value.at(i)
    if (!(item instanceof StructValue) || item.typeName !== 'JSONPatch')
      throw new MutationError('type mismatch: JSONPatchType.expression should evaluate to array of JSONPatch')
    operations.push(yield* operationOf(item.fields))
  }
  return operations
}

/** Parses one operation. `from` and `value` are omitted if unset. */
function* operationOf(fields: StructValue['fields']): Steps<JsonObject> {
  const text = (name: string): string => {
    const value = fields.get(name)
    return typeof value === 'string' ? value : ''
  }
  const from = text('from')
  const value = fields.get('value')
  return { op: text('op'), path: text('path'), ...(from && { from }), ...(value !== undefined && { value: yield* patchValue(value) }) }
}

function* patchValue(value: Value): Steps<Json> {
  if (!(value instanceof StructValue)) return yield* celToJson(value)
  yield* checkTypeNames(value)
  return yield* plainStruct(value, { path: '', schema: undefined }, structMember)
}

/** JSON form of a struct member that is not a plain value. */
function structMember(value: Value): Json {
  if (value instanceof CelUint) return Number(value.value)
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  throw unprintable(`proto: invalid type: ${reflectType(value)}`)
}

const unprintable = (why: string): MutationError =>
  new MutationError(`JSONPath valueExpression evaluated to a type that could not marshal to JSON: ${why}`)

/**
 * Converts a value to JSON as google.protobuf.Value does: integers beyond the range of a double become strings, bytes
 * base64, times strings. Runs in steps. Structs may be the value itself or nest in each other, but not in lists and
 * maps: kube-apiserver panics there, and the request fails.
 */
function* celToJson(value: Value): Steps<Json> {
  if (isStepDone()) yield
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (isInt(value)) return exactly(BigInt(value))
  if (value instanceof CelUint) return exactly(value.value)
  if (value instanceof CelDouble) return finite(value.value)
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  if (value instanceof CelTimestamp) return timestampText(value)
  if (value instanceof CelDuration) return secondsText(value)
  if (value instanceof CelList) return yield* listJson(value)
  if (value instanceof CelMap) return yield* mapJson(value)
  if (value instanceof CelOptional) {
    if (value.value === undefined) throw unprintable('optional.none() dereference')
    return yield* celToJson(value.value)
  }
  if (value instanceof CelType) throw unprintable("type conversion not supported for 'type'")
  if (value instanceof StructValue) throw unprintable(`an ${value.typeName} in a list or map`)
  throw unprintable(`type conversion error from '${typeNameOf(value).replace(/^.*\./, '')}' to '*structpb.Value'`)
}

function* listJson(list: CelList): Steps<Json[]> {
  const out: Json[] = []
  for (let i = 0; i < list.size; i++) out.push(yield* celToJson(list.at(i)))
  return out
}

/** Converts a map to a JSON object. Only string keys are supported, as in cel-go. */
function* mapJson(map: CelMap): Steps<JsonObject> {
  const out: JsonObject = {}
  for (const key of map.keys()) {
    if (typeof key === 'boolean') throw unprintable("type conversion error from bool to 'string'")
    if (typeof key !== 'string') throw unprintable(`unsupported type conversion from '${typeNameOf(key)}' to string`)
    setMember(out, key, yield* celToJson(map.find(key) ?? null))
  }
  return out
}

const MAX_EXACT = BigInt(Number.MAX_SAFE_INTEGER)

const exactly = (value: bigint): Json => (value >= -MAX_EXACT && value <= MAX_EXACT ? Number(value) : String(value))

function finite(value: number): number {
  if (Number.isFinite(value)) return value
  const name = Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'
  throw unprintable(
    `json: error calling MarshalJSON for type *structpb.Value: proto: google.protobuf.Value.number_value: invalid ${name} value`,
  )
}
