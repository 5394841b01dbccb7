import { isNumeric } from '../values/compare.ts'
import { celGoType } from '../values/go-type.ts'
import { outOfBounds, plainIndex } from '../values/list.ts'
import { printValue } from '../values/print.ts'
import { CelError, CelList, CelMap, CelObject, isError, isInt, type Value } from '../values/value.ts'
import type { Evaluate, Frame } from './frame.ts'

/**
 * Selection of a part of a value: `.field`, `[index]` or a presence test. It costs 1. An optional one that finds
 * nothing costs nothing.
 */
export interface Qualifier {
  readonly optional: boolean
  /** Returns the part, or an error if it is missing. */
  readonly from: (frame: Frame, value: Value) => Value
  /** Returns the part, or undefined if it is missing. */
  readonly fromIfPresent: (frame: Frame, value: Value) => Value | undefined
}

/** The error for a missing key or field, and for values without parts, as in cel-go. */
const missingKey = (key: Value): CelError => new CelError(`no such key: ${printValue(key)}`)

/** Returns a part of a value by its key. Undefined if it is missing. */
function qualifiedPart(value: Value, key: Value): Value | undefined {
  if (value instanceof CelMap) return value.find(key)
  if (value instanceof CelList) return listItem(value, key)
  if (isError(value)) return value
  return value instanceof CelObject && typeof key === 'string' ? value.field?.(key) : undefined
}

/** Returns a part for an optional selection. Undefined if it is missing. */
const partIfPresent = (value: Value, key: Value): Value | undefined =>
  value instanceof CelObject && value.fieldIfPresent && typeof key === 'string' ? value.fieldIfPresent(key) : qualifiedPart(value, key)

/** Returns an element. Undefined if the index is out of range. Lists of documents accept only ints. */
function listItem(list: CelList, key: Value): Value | undefined {
  const index = plainIndex(key)
  if (isError(index)) return index
  if (index < 0 || index >= list.size) return undefined
  return list.takesIntsOnly && !isInt(key) ? new CelError(`unsupported index: ${printValue(key)}`) : list.at(index)
}

/** Returns a part, or the error for a missing one, which differs between lists and maps. */
function required(value: Value, key: Value): Value {
  const part = qualifiedPart(value, key)
  return part === undefined ? (value instanceof CelList ? outOfBounds(key) : missingKey(key)) : part
}

/** Returns the error of a value that cannot be a key. Undefined if it can. */
export function keyFault(key: Value): CelError | undefined {
  const isKey = typeof key === 'string' || typeof key === 'boolean' || isNumeric(key)
  return isKey ? undefined : new CelError(`invalid qualifier type: ${celGoType(key)}`)
}

/**
 * A computed key.
 * @param key evaluated each time. Its cost is added.
 */
export function keyQualifier(key: Evaluate, optional: boolean): Qualifier {
  return {
    optional,
    from(frame, value) {
      const at = key(frame)
      frame.charge(1)
      return isError(at) ? at : (keyFault(at) ?? required(value, at))
    },
    fromIfPresent(frame, value) {
      const at = key(frame)
      const part = isError(at) ? at : (keyFault(at) ?? partIfPresent(value, at))
      if (part !== undefined) frame.charge(1)
      return part
    },
  }
}

/** A constant key, which is the most frequent case. */
export function constantQualifier(key: Value, optional: boolean): Qualifier {
  return {
    optional,
    from(frame, value) {
      frame.charge(1)
      // The most frequent selection is a field of a map.
      const part = value instanceof CelMap ? value.find(key) : qualifiedPart(value, key)
      return part === undefined ? required(value, key) : part
    },
    fromIfPresent(frame, value) {
      const part = partIfPresent(value, key)
      if (part !== undefined) frame.charge(1)
      return part
    },
  }
}

/** Tests whether a field is present. */
export function presenceQualifier(name: string): Qualifier {
  const isPresent = (value: Value): Value => {
    if (value instanceof CelObject && value.isSet) return value.isSet(name)
    const part = qualifiedPart(value, name)
    return isError(part) ? part : part !== undefined
  }
  return {
    optional: false,
    from(frame, value) {
      frame.charge(1)
      return isPresent(value)
    },
    fromIfPresent(frame, value) {
      const present = isPresent(value)
      if (present === false) return undefined
      frame.charge(1)
      return present
    },
  }
}
