/**
 * A value of a running expression. Values are immutable, except lists and maps that a loop is still collecting.
 *
 * An int is a number where it is a safe integer and a bigint only beyond: most arithmetic is that of plain numbers, and the integers of a JSON document are values as they stand. Other
 * numbers are boxed.
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

/** A safe integer as a number, any other of 64 bits as a bigint; never -0. */
export type Int = number | bigint

/** An error is a value: operators that absorb errors look at it, all others hand it on. */
export class CelError {
  /** In cel-go's words. */
  readonly message: string

  constructor(message: string) {
    this.message = message
  }
}

export class CelUint {
  readonly value: bigint

  constructor(value: bigint) {
    this.value = value
  }
}

export class CelDouble {
  readonly value: number

  constructor(value: number) {
    this.value = value
  }
}

/** An instant, with the offset that it was written with: between the years 1 and 9999, unless it comes of a message. */
export class CelTimestamp {
  /** Since the epoch. */
  readonly seconds: number
  /** 0 to 999,999,999. */
  readonly nanos: number
  readonly offsetMinutes: number

  constructor(seconds: number, nanos: number, offsetMinutes = 0) {
    this.seconds = seconds
    this.nanos = nanos
    this.offsetMinutes = offsetMinutes
  }
}

export class CelDuration {
  /** Of 64 bits. */
  readonly nanos: bigint

  constructor(nanos: bigint) {
    this.nanos = nanos
  }
}

/** A type as a value: known by its name alone. */
export class CelType {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

/** A value, or none. */
export class CelOptional {
  readonly value: Value | undefined

  constructor(value: Value | undefined) {
    this.value = value
  }
}

export const NONE = new CelOptional(undefined)

/** A list of any origin: see list.ts for one of values, schema-list.ts for one of JSON. */
export abstract class CelList {
  abstract readonly size: number
  /** Whether it counts as zero where it is empty: what comes from a document does not. */
  readonly isZeroable: boolean = true
  /** Whether uints and doubles are no indexes of it. */
  readonly takesIntsOnly: boolean = false
  /** @param index within the bounds. */
  abstract at(index: number): Value
  /** A list of this one's elements and the other's. */
  abstract concat(other: CelList): Value
  abstract equals(other: Value): boolean | CelError
  abstract contains(value: Value): boolean | CelError
}

/** A map, or an object that is read like one. */
export abstract class CelMap {
  abstract readonly size: number
  /** Whether it counts as zero where it is empty: what comes from a document does not. */
  readonly isZeroable: boolean = true
  /** Undefined where there is no such key. */
  abstract find(key: Value): Value | undefined
  abstract keys(): Iterable<Value>
  /** Keys with their values, in the order of the keys. */
  *entries(): Generator<readonly [Value, Value]> {
    for (const key of this.keys()) {
      const value = this.find(key)
      if (value !== undefined) yield [key, value]
    }
  }
  abstract equals(other: Value): boolean | CelError
}

/** A value of a library: it has a type of its own, and functions that know it. */
export abstract class CelObject {
  abstract readonly typeName: string
  abstract equals(other: Value): boolean | CelError
  /** Whether it is the zero value of its type. */
  get isZero(): boolean {
    return false
  }
  /** A member, where it has members. */
  field?(name: string): Value | undefined
  /** Whether a member was given, where members that were not have a value all the same. */
  isSet?(name: string): boolean
  /** What an optional selection finds, where that is not what `field` gives. */
  fieldIfPresent?(name: string): Value | undefined
  /** What `size()` gives, where it has a size. */
  size?(): number
}

export const isError = (value: Value | undefined): value is CelError => value instanceof CelError
export const isInt = (value: Value): value is Int => typeof value === 'number' || typeof value === 'bigint'

/** The name of a value's type, as `type()` gives it. */
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

/** Why a function cannot take a value: the value itself where it is an error. */
export const noSuchOverload = (value: Value): CelError => (isError(value) ? value : NO_OVERLOAD)
