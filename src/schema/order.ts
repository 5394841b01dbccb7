import type { Json, JsonObject } from '../api/meta/object.ts'
import { isWide, MANY_MEMBERS } from '../lib/wide-objects.ts'
import { isHigh, isSortedJson, orderedFields } from './members.ts'
import type { Schema, StructSchema } from './schema.ts'

/** Reports whether the objects in a value, an object or a list, are in order. */
type Check = (value: JsonObject | Json[], walk: Walk) => boolean

interface Walk {
  /** Number of list and map elements that may still be visited. */
  left: number
}

/**
 * Whether the members of an object are in Go's order at every depth: declared order in structs, byte order of keys in
 * maps. JavaScript puts integer-like keys first, so a map cannot always be in order. Also returns false if lists and
 * maps have more than `most` elements in all, without visiting the rest.
 */
export const isInOrder = (schema: StructSchema, object: JsonObject, most = Number.POSITIVE_INFINITY): boolean =>
  checkerOf(schema)(object, { left: most })

/** Checks by struct, compiled on first use. */
const checkers = new WeakMap<StructSchema, Check>()

function checkerOf(schema: StructSchema): Check {
  const known = checkers.get(schema)
  if (known) return known
  let compiled: Check | undefined
  const check: Check = (value, walk) => {
    compiled ??= compile(schema)
    return compiled(value, walk)
  }
  checkers.set(schema, check)
  return check
}

/**
 * A struct that keeps unknown members is never in order, since their order is not declared. Of a list in place of a
 * struct, only an empty one is accepted.
 */
function compile(schema: StructSchema): Check {
  if (schema.preserveUnknown) return () => false
  const plans = new Map(orderedFields(schema).map((field, index) => [field.name, { index, check: checkOf(field.schema) }]))
  return (object, walk) => {
    if (Array.isArray(object)) return object.length === 0
    let last = -1
    for (const name in object) {
      const plan = plans.get(name)
      if (plan === undefined || plan.index < last) return false
      last = plan.index
      if (plan.check !== undefined) {
        const member = object[name]
        if (typeof member === 'object' && member !== null && !plan.check(member, walk)) return false
      }
    }
    return true
  }
}

/** Returns undefined if the type has nothing that could be out of order. */
function checkOf(schema: Schema): Check | undefined {
  switch (schema.type) {
    case 'struct':
      return checkerOf(schema)
    case 'list': {
      const item = checkOf(schema.items)
      // Elements that cannot be out of order still count.
      if (item === undefined)
        return (value, walk) => {
          walk.left -= Array.isArray(value) ? value.length : 0
          return Array.isArray(value) && walk.left >= 0
        }
      return (value, walk) => {
        if (!Array.isArray(value)) return false
        for (const element of value)
          if (--walk.left < 0 || (typeof element === 'object' && element !== null && !item(element, walk))) return false
        return true
      }
    }
    case 'map': {
      const inner = checkOf(schema.values)
      return (value, walk) => {
        if (Array.isArray(value) || (isWide(value) && walk.left < MANY_MEMBERS)) return false
        let before = ''
        for (const key in value) {
          if (--walk.left < 0 || key < before || isHigh(key)) return false
          before = key
          const member = value[key]
          if (inner && typeof member === 'object' && member !== null && !inner(member, walk)) return false
        }
        return true
      }
    }
    case 'json':
      return isSortedJson
    case 'union': {
      const struct = checkerOf(schema.struct)
      return (value, walk) =>
        Array.isArray(value)
          ? value.every(item => --walk.left >= 0 && (typeof item !== 'object' || item === null || struct(item, walk)))
          : struct(value, walk)
    }
    case 'raw':
      return hasFewNodes
    default:
      return undefined
  }
}

/** Raw JSON has the order of its text. Its members count, as those of managed fields may be very many. */
function hasFewNodes(value: JsonObject | Json[], walk: Walk): boolean {
  if (walk.left === Number.POSITIVE_INFINITY) return true
  if (isWide(value)) return false
  for (const key in value) {
    const member = (value as JsonObject)[key]
    if (--walk.left < 0 || (typeof member === 'object' && member !== null && !hasFewNodes(member as JsonObject, walk))) return false
  }
  return true
}
