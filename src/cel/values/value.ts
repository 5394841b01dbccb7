/**
 * A value of a running expression. Values are immutable, except lists and maps that a loop is still collecting.
 *
 * An int is a number if it is a safe integer, and a bigint only beyond: most arithmetic is plain number arithmetic, and
 * integers of a JSON document need no conversion. Other numeric types are boxed.
 */
export type Value =
  | null
  | boolean
  | string
  | Int
  | CelUint
  | CelDouble
  | Uint8Array
  | CelTimestamp
  | CelDuration
  | CelType
  | CelOptional
  | CelList
  | CelMap
  | CelObject
  | CelError

/** An int: a number if it is a safe integer, otherwise a bigint of up to 64 bits. Never -0. */
export type Int = number | bigint

/** An error, which is a value: operators such as `&&` can absorb it, all others return it. */
export class CelError {
  /** cel-go's message. */
  readonly message: string

  constructor(message: string) {
    this.message = message
  }
}

/** An unsigned 64-bit integer. Its value is within bounds: `toUint` checks that. */
export class CelUint {
  readonly value: bigint

  constructor(value: bigint) {
    this.value = value
  }
}

/** A double. A class of its own because JavaScript's numbers are ints here; NaN and infinities are valid. */
export class CelDouble {
  readonly value: number

  constructor(value: number) {
    this.value = value
  }
}

/**
 * An instant with the offset that it was written with. Between the years 1 and 9999, unless it comes from a message.
 */
export class CelTimestamp {
  /** Seconds since the epoch. */
  readonly seconds: number
  /** Nanoseconds within the second, 0 to 999,999,999. */
  readonly nanos: number
  readonly offsetMinutes: number

  constructor(seconds: number, nanos: number, offsetMinutes = 0) {
    this.seconds = seconds
    this.nanos = nanos
    this.offsetMinutes = offsetMinutes
  }
}

/** An elapsed time, as Go's time.Duration: it has no calendar units. */
export class CelDuration {
  /** Duration in nanoseconds, a signed 64-bit integer. */
  readonly nanos: bigint

  constructor(nanos: bigint) {
    this.nanos = nanos
  }
}

/** A type as a value, identified by its name. */
export class CelType {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

/** An optional. Empty if `value` is undefined. */
export class CelOptional {
  readonly value: Value | undefined

  constructor(value: Value | undefined) {
    this.value = value
  }
}

export const NONE = new CelOptional(undefined)

/** Result of comparing two values: whether they are equal, or an error. */
export type Equality = boolean | CelError

/**
 * Work that compares values with many parts. Yields a nested comparison and receives its result, or yields nothing at
 * the end of a step. `compareInSteps` runs it.
 */
export type Comparing<T> = Generator<Comparing<Equality> | undefined, T, Equality>

/** A list. Implementations: list.ts for values, schema-list.ts for documents with a schema. */
export abstract class CelList {
  abstract readonly size: number
  /** Whether an empty list is a zero value. Lists of documents are not. */
  readonly isZeroable: boolean = true
  /** Whether only ints are valid indexes, and uints and doubles are not. */
  readonly takesIntsOnly: boolean = false
  /** @param index must be within bounds. */
  abstract at(index: number): Value
  /** Returns the concatenation with another list. */
  abstract concat(other: CelList): Value
  abstract equals(other: Value): Comparing<Equality>
  /** Reports whether an element is equal to a value. */
  abstract contains(value: Value): Comparing<Equality>
}

/** A map, or an object that is read like one. */
export abstract class CelMap {
  abstract readonly size: number
  /** Whether an empty map is a zero value. Maps of documents are not. */
  readonly isZeroable: boolean = true
  /** Returns the value of a key. Undefined if the key is absent. */
  abstract find(key: Value): Value | undefined
  abstract keys(): Iterable<Value>
  /** Iterates over keys and values, in the order of the keys. */
  *entries(): Generator<readonly [Value, Value]> {
    for (const key of this.keys()) {
      const value = this.find(key)
      if (value !== undefined) yield [key, value]
    }
  }
  abstract equals(other: Value): Comparing<Equality>
}

/** A value of a library type. */
export abstract class CelObject {
  abstract readonly typeName: string
  /** Returns the result, or the comparison of the parts if there may be many. */
  abstract equals(other: Value): Equality | Comparing<Equality>
  /** Whether it is the zero value of its type. */
  get isZero(): boolean {
    return false
  }
  /** Optional. Returns a field. */
  field?(name: string): Value | undefined
  /** Optional. Whether a field was set. Implemented by types whose unset fields have a default. */
  isSet?(name: string): boolean
  /** Optional. Returns the result of an optional selection, if it differs from `field`. */
  fieldIfPresent?(name: string): Value | undefined
  /** Optional. Returns the result of `size()`. */
  size?(): number
}

export const isError = (value: Value | undefined): value is CelError => value instanceof CelError
/** Whether a value is an int. JavaScript's numbers are ints, never doubles. */
export const isInt = (value: Value): value is Int => typeof value === 'number' || typeof value === 'bigint'

/** Returns the name of a value's type, as `type()` does. */
export function typeNameOf(value: Value): string {
  switch (typeof value) {
    case 'boolean':
      return 'bool'
    case 'string':
      return 'string'
    case 'number':
    case 'bigint':
      return 'int'
    default:
      return value === null ? 'null_type' : boxedTypeName(value)
  }
}

function boxedTypeName(value: Exclude<Value, null | boolean | string | Int>): string {
  if (value instanceof CelUint) return 'uint'
  if (value instanceof CelDouble) return 'double'
  if (value instanceof CelList) return 'list'
  if (value instanceof CelMap) return 'map'
  if (value instanceof CelObject) return value.typeName
  if (value instanceof CelTimestamp) return 'google.protobuf.Timestamp'
  if (value instanceof CelDuration) return 'google.protobuf.Duration'
  if (value instanceof CelOptional) return 'optional_type'
  if (value instanceof CelType) return 'type'
  return value instanceof CelError ? '*error*' : 'bytes'
}

const NO_OVERLOAD = new CelError('no such overload')

/**
 * Returns the error for an argument that a function does not accept. If the argument is an error itself, returns it.
 */
export const noSuchOverload = (value: Value): CelError => (isError(value) ? value : NO_OVERLOAD)
