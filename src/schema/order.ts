import type { Json, JsonObject } from '../meta/object.ts'
import { isHigh, isSortedJson, membersOf } from './members.ts'
import type { Schema, StructSchema } from './schema.ts'

/** Whether the objects in a value, which is one or a list, are in order. */
type Check = (value: JsonObject | Json[], walk: Walk) => boolean

interface Walk {
  /** Elements of lists and maps that are still looked at. */
  left: number
}

/**
 * Whether the members of an object stand in the order in which Go writes them, all the way down: declared order in structs, byte order of keys in maps. JavaScript puts
 * integer-like keys first, so a map may be unable to. False as well for an object whose lists and maps hold more elements than `most`: the rest is not looked at.
 */
export const isInOrder = (schema: StructSchema, object: JsonObject, most = Number.POSITIVE_INFINITY): boolean => checkerOf(schema)(object, { left: most })

/** By struct, compiled when the first object is looked at. */
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

function compile(schema: StructSchema): Check {
  if (schema.preserveUnknown) return () => false
  const plans = new Map(membersOf(schema).map((field, index) => [field.name, { index, check: checkOf(field.schema) }]))
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

/** undefined: there is nothing that could be out of order. */
function checkOf(schema: Schema): Check | undefined {
  switch (schema.type) {
    case 'struct':
      return checkerOf(schema)
    case 'list': {
      const item = checkOf(schema.items)
      return (
        item &&
        ((value, walk) => {
          if (!Array.isArray(value)) return false
          for (const element of value) if (--walk.left < 0 || (typeof element === 'object' && element !== null && !item(element, walk))) return false
          return true
        })
      )
    }
    case 'map': {
      const inner = checkOf(schema.values)
      return (value, walk) => {
        if (Array.isArray(value)) return false
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
        Array.isArray(value) ? value.every(item => --walk.left >= 0 && (typeof item !== 'object' || item === null || struct(item, walk))) : struct(value, walk)
    }
    default:
      return undefined
  }
}
