import { isNumeric } from '../values/compare.ts'
import { goTypeOf } from '../values/go-type.ts'
import { outOfBounds, plainIndex } from '../values/list.ts'
import { printValue } from '../values/print.ts'
import { CelError, CelList, CelMap, CelObject, isError, isInt, type Value } from '../values/value.ts'
import type { Evaluate, Frame } from './frame.ts'

/** One step from a value to a part of it: `.field`, `[index]`, or a test for presence. It costs 1, and an optional one that finds nothing costs nothing. */
export interface Qualifier {
  readonly optional: boolean
  /** The part, or an error. */
  readonly from: (frame: Frame, value: Value) => Value
  /** The part, or undefined where there is none. */
  readonly fromIfPresent: (frame: Frame, value: Value) => Value | undefined
}

/** As cel-go has it for maps, structs and what has no parts. */
const missingKey = (key: Value): CelError => new CelError(`no such key: ${printValue(key)}`)

/** A part of a value by its key; undefined where there is none. */
function partOf(value: Value, key: Value): Value | undefined {
  if (value instanceof CelMap) return value.find(key)
  if (value instanceof CelList) return elementOf(value, key)
  if (isError(value)) return value
  return value instanceof CelObject && typeof key === 'string' ? value.field?.(key) : undefined
}

/** The same for an optional selection. */
const partIfPresent = (value: Value, key: Value): Value | undefined =>
  value instanceof CelObject && value.fieldIfPresent && typeof key === 'string' ? value.fieldIfPresent(key) : partOf(value, key)

/** Undefined beyond the ends; lists of documents take an int and no other number. */
function elementOf(list: CelList, key: Value): Value | undefined {
  const index = plainIndex(key)
  if (isError(index)) return index
  if (index < 0 || index >= list.size) return undefined
  return list.takesIntsOnly && !isInt(key) ? new CelError(`unsupported index: ${printValue(key)}`) : list.at(index)
}

/** A part that is not there is an error, which differs between lists and maps. */
function required(value: Value, key: Value): Value {
  const part = partOf(value, key)
  return part === undefined ? (value instanceof CelList ? outOfBounds(key) : missingKey(key)) : part
}

/** Why a value can be no key; nothing where it can. */
export function keyFault(key: Value): CelError | undefined {
  const isKey = typeof key === 'string' || typeof key === 'boolean' || isNumeric(key)
  return isKey ? undefined : new CelError(`invalid qualifier type: ${goTypeOf(key)}`)
}

/** @param key evaluated each time; what it costs comes on top. */
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

/** A key that is known when the expression is compiled: most are. */
export function constantQualifier(key: Value, optional: boolean): Qualifier {
  return {
    optional,
    from(frame, value) {
      frame.charge(1)
      // Most steps are by name from a map.
      const part = value instanceof CelMap ? value.find(key) : partOf(value, key)
      return part === undefined ? required(value, key) : part
    },
    fromIfPresent(frame, value) {
      const part = partIfPresent(value, key)
      if (part !== undefined) frame.charge(1)
      return part
    },
  }
}

/** Whether there is a part of that name. */
export function presenceQualifier(name: string): Qualifier {
  const isPresent = (value: Value): Value => {
    if (value instanceof CelObject && value.isSet) return value.isSet(name)
    const part = partOf(value, name)
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
