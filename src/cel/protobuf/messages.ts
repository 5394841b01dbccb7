import { inInt64, MAX_INT64, MIN_INT64 } from '../../lib/integer.ts'
import { defined } from '../../lib/invariant.ts'
import { ownMember } from '../../meta/equal.ts'
import type { StructDeclaration } from '../declarations.ts'
import {
  ANY,
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listTypeOf,
  mapOf,
  STRING,
  structOf,
  TIMESTAMP,
  type Type,
  UINT,
  wrapperOf,
} from '../type.ts'
import { listOfValues } from '../values/list.ts'
import { ValueMap } from '../values/map.ts'
import {
  CelDouble,
  CelDuration,
  CelError,
  CelList,
  CelMap,
  CelTimestamp,
  CelUint,
  type Int,
  isError,
  isInt,
  type Value,
} from '../values/value.ts'
import { anyValue } from './any.ts'
import type { FieldValues } from './encoded.ts'
import { jsonList, jsonMap, NATIVE_LIST, NATIVE_STRUCT, NATIVE_VALUE } from './json.ts'
import { MessageValue } from './message-value.ts'
import {
  NATIVE_BOOL,
  NATIVE_BYTES,
  NATIVE_DOUBLE,
  NATIVE_ENUM,
  NATIVE_FLOAT,
  NATIVE_INT32,
  NATIVE_INT64,
  NATIVE_STRING,
  NATIVE_UINT32,
  NATIVE_UINT64,
  type Native,
  printedTypeOf,
  toNative,
} from './native.ts'

/** A field of a message. */
interface Field {
  readonly type: Type
  /**
   * Converts a value to the field's type, or returns an error.
   * `field` is the full name of the field.
   */
  readonly hold: (value: Value, field: string) => Value
}

/** Definition of a message, and the value that it represents. */
interface Message {
  /** Optional. Type that represents the message. Default: a struct of its own. */
  readonly type?: Type
  readonly fields: Readonly<Record<string, Field>>
  readonly toValue: (fields: FieldValues) => Value
}

/** The error for a value that the field's Go type does not accept. */
const failed = (field: string, { message }: CelError): CelError =>
  new CelError(`field type conversion error for ${field} value type: ${message}`)

/** A field with a Go scalar type. */
const scalar = (type: Type, native: Native): Field => ({
  type,
  hold(value, field) {
    const held = toNative(value, native)
    return isError(held) ? failed(field, held) : held
  },
})

/** The error for a value that cel-go does not attempt to convert. */
const unsupported = (value: Value, field: string): CelError => new CelError(`unsupported field type for ${field}: ${printedTypeOf(value)}`)

/** The elements of google.protobuf.ListValue. */
const VALUES: Field = {
  type: listTypeOf(DYN),
  hold(value, field) {
    if (!(value instanceof CelList)) return unsupported(value, field)
    const list = jsonList(value)
    return isError(list) ? failed(field, list) : list
  },
}

/** The members of google.protobuf.Struct. */
const MEMBERS: Field = {
  type: mapOf(STRING, DYN),
  hold(value, field) {
    if (!(value instanceof CelMap)) return unsupported(value, field)
    const map = jsonMap(value)
    return isError(map) ? failed(field, map) : map
  },
}

/** A message that represents the value of its single field, or `none` if the field is unset. */
const single = (type: Type, name: string, field: Field, none: Value): Message => ({
  type,
  fields: { [name]: field },
  toValue: fields => fields.get(name) ?? none,
})

/** A wrapper, which represents its value, or the zero of its type. */
const wrapper = (type: Type, native: Native, none: Value): Message => single(wrapperOf(type), 'value', scalar(type, native), none)

/** Fields of Duration and Timestamp. */
const SECONDS_AND_NANOS = { seconds: scalar(INT, NATIVE_INT64), nanos: scalar(INT, NATIVE_INT32) }
/** Returns a checked integer field, or zero if it is unset. */
function integerField(fields: FieldValues, name: string): bigint {
  const value = fields.get(name)
  return value !== undefined && isInt(value) ? BigInt(value) : 0n
}

const BILLION = 1_000_000_000n

/** Makes a duration. One that exceeds 64 bits is clamped. */
function durationFromFields(fields: FieldValues): CelDuration {
  const whole = integerField(fields, 'seconds') * BILLION
  const nanos = whole + integerField(fields, 'nanos')
  if (inInt64(whole) && inInt64(nanos)) return new CelDuration(nanos)
  return new CelDuration(whole < 0n ? MIN_INT64 : MAX_INT64)
}

/** Makes a timestamp. Nanoseconds beyond a second are carried into the seconds. */
function timestampOf(fields: FieldValues): CelTimestamp {
  const nanos = integerField(fields, 'nanos')
  const rest = ((nanos % BILLION) + BILLION) % BILLION
  return new CelTimestamp(Number(integerField(fields, 'seconds') + (nanos - rest) / BILLION), Number(rest))
}

/** Returns the alternative of a google.protobuf.Value that was set last. */
function givenAlternative(fields: FieldValues): Value {
  const [name, value] = [...fields].at(-1) ?? ['null_value', null]
  return name === 'null_value' ? null : value
}

/**
 * A message that is a struct.
 * @param none values of unset fields.
 */
const struct = (name: string, fields: Readonly<Record<string, Field>>, none: Readonly<Record<string, Value>>): Message => ({
  fields,
  // A field with its default value counts as unset.
  toValue: given => new MessageValue(name, new Map([...given].filter(([, value]) => value !== '')), none),
})

/** An entry of google.protobuf.Struct, which is a message with defaults. */
const ENTRY = 'google.protobuf.Struct.FieldsEntry'
const ZERO_DOUBLE = new CelDouble(0)
const ZERO_UINT = new CelUint(0n)

/** Messages that every environment declares. All but two represent values of another type. */
const MESSAGES: ReadonlyMap<string, Message> = new Map(
  Object.entries({
    'google.protobuf.Any': {
      type: ANY,
      fields: { type_url: scalar(STRING, NATIVE_STRING), value: scalar(BYTES, NATIVE_BYTES) },
      toValue: fields => anyValue(fields, (name, held) => MESSAGES.get(name)?.toValue(held)),
    },
    'google.protobuf.BoolValue': wrapper(BOOL, NATIVE_BOOL, false),
    'google.protobuf.BytesValue': wrapper(BYTES, NATIVE_BYTES, new Uint8Array()),
    'google.protobuf.DoubleValue': wrapper(DOUBLE, NATIVE_DOUBLE, ZERO_DOUBLE),
    'google.protobuf.Duration': { type: DURATION, fields: SECONDS_AND_NANOS, toValue: durationFromFields },
    'google.protobuf.Empty': struct('google.protobuf.Empty', {}, {}),
    'google.protobuf.FloatValue': wrapper(DOUBLE, NATIVE_FLOAT, ZERO_DOUBLE),
    'google.protobuf.Int32Value': wrapper(INT, NATIVE_INT32, 0),
    'google.protobuf.Int64Value': wrapper(INT, NATIVE_INT64, 0),
    'google.protobuf.ListValue': single(listTypeOf(DYN), 'values', VALUES, listOfValues([])),
    'google.protobuf.StringValue': wrapper(STRING, NATIVE_STRING, ''),
    'google.protobuf.Struct': single(mapOf(STRING, DYN), 'fields', MEMBERS, new ValueMap()),
    [ENTRY]: struct(ENTRY, { key: scalar(STRING, NATIVE_STRING), value: scalar(DYN, NATIVE_VALUE) }, { key: '', value: null }),
    'google.protobuf.Timestamp': { type: TIMESTAMP, fields: SECONDS_AND_NANOS, toValue: timestampOf },
    'google.protobuf.UInt32Value': wrapper(UINT, NATIVE_UINT32, ZERO_UINT),
    'google.protobuf.UInt64Value': wrapper(UINT, NATIVE_UINT64, ZERO_UINT),
    'google.protobuf.Value': {
      type: DYN,
      fields: {
        null_value: scalar(INT, NATIVE_ENUM),
        number_value: scalar(DOUBLE, NATIVE_DOUBLE),
        string_value: scalar(STRING, NATIVE_STRING),
        bool_value: scalar(BOOL, NATIVE_BOOL),
        struct_value: scalar(mapOf(STRING, DYN), NATIVE_STRUCT),
        list_value: scalar(listTypeOf(DYN), NATIVE_LIST),
      },
      toValue: givenAlternative,
    },
  } satisfies Record<string, Message>),
)

/** Enumeration values by their full name. */
export const PROTOBUF_CONSTANTS: ReadonlyMap<string, Int> = new Map([['google.protobuf.NullValue.NULL_VALUE', 0]])

/** Converts the fields and makes the message. Returns the first error. */
function makeMessage(name: string, { fields, toValue }: Message, given: FieldValues): Value {
  const held = new Map<string, Value>()
  for (const [field, value] of given) {
    const kept = defined(fields[field], 'a field was checked that is not there').hold(value, `${name}.${field}`)
    if (isError(kept)) return kept
    held.set(field, kept)
  }
  return toValue(held)
}

/** Declarations for the checker and the planner. */
const DECLARATIONS: ReadonlyMap<string, StructDeclaration> = new Map(
  Array.from(MESSAGES, ([name, message]) => [
    name,
    {
      type: message.type ?? structOf(name),
      fieldType: (field: string) => ownMember(message.fields, field)?.type,
      make: (given: FieldValues) => makeMessage(name, message, given),
    },
  ]),
)

/** Returns a message by its full name. Undefined if it is unknown. */
export const protobufStruct = (name: string): StructDeclaration | undefined => DECLARATIONS.get(name)

/** Messages whose fields a type has if it is constructed by the name of a message. The widest wrapper is used. */
const WIDEST: Readonly<Partial<Record<Type['kind'], string>>> = {
  any: 'google.protobuf.Any',
  bool: 'google.protobuf.BoolValue',
  bytes: 'google.protobuf.BytesValue',
  double: 'google.protobuf.DoubleValue',
  duration: 'google.protobuf.Duration',
  dyn: 'google.protobuf.Value',
  int: 'google.protobuf.Int64Value',
  list: 'google.protobuf.ListValue',
  map: 'google.protobuf.Struct',
  null: 'google.protobuf.NullValue',
  string: 'google.protobuf.StringValue',
  timestamp: 'google.protobuf.Timestamp',
  uint: 'google.protobuf.UInt64Value',
}

/** Returns the message that a type represents. Undefined if there is none. */
export function messageOfType({ kind, nullable, params }: Type): string | undefined {
  if (kind === 'list' && params[0]?.kind !== 'dyn') return undefined
  if (kind === 'map' && !(params[0]?.kind === 'string' && params[1]?.kind === 'dyn')) return undefined
  const isScalar = kind === 'bool' || kind === 'bytes' || kind === 'double' || kind === 'int' || kind === 'string' || kind === 'uint'
  return isScalar && !nullable ? undefined : WIDEST[kind]
}
