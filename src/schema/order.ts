import type { Json, JsonObject } from '../meta/object.ts'
import { isHigh, isSortedJson, membersOf } from './members.ts'
import type { Schema, StructSchema } from './schema.ts'

/** Whether the objects in a value, which is one or a list, are in order. */
type Check = (value: JsonObject | Json[]) => boolean

/**
 * Whether the members of an object stand in the order in which Go writes them, all the way down: declared order in structs, byte order of keys in maps. JavaScript puts
 * integer-like keys first, so a map may be unable to.
 */
export function isInOrder(schema: StructSchema, object: JsonObject): boolean {
  return checkerOf(schema)(object)
}

/** By struct, compiled when the first object is looked at. */
const checkers = new WeakMap<StructSchema, Check>()

function checkerOf(schema: StructSchema): Check {
  const known = checkers.get(schema)
  if (known) return known
  let compiled: Check | undefined
  const check: Check = value => {
    compiled ??= compile(schema)
    return compiled(value)
  }
  checkers.set(schema, check)
  return check
}

function compile(schema: StructSchema): Check {
  if (schema.preserveUnknown) return () => false
  const plans = new Map(membersOf(schema).map((field, index) => [field.name, { index, check: checkOf(field.schema) }]))
  return object => {
    if (Array.isArray(object)) return object.length === 0
    let last = -1
    for (const name in object) {
      const plan = plans.get(name)
      if (plan === undefined || plan.index < last) return false
      last = plan.index
      if (plan.check !== undefined) {
        const member = object[name]
        if (typeof member === 'object' && member !== null && !plan.check(member)) return false
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
        (value => {
          if (!Array.isArray(value)) return false
          for (const element of value) if (typeof element === 'object' && element !== null && !item(element)) return false
          return true
        })
      )
    }
    case 'map': {
      const inner = checkOf(schema.values)
      return value => {
        if (Array.isArray(value)) return false
        let before = ''
        for (const key in value) {
          if (key < before || isHigh(key)) return false
          before = key
          const member = value[key]
          if (inner && typeof member === 'object' && member !== null && !inner(member)) return false
        }
        return true
      }
    }
    case 'json':
      return isSortedJson
    case 'union': {
      const struct = checkerOf(schema.struct)
      return value => (Array.isArray(value) ? value.every(item => typeof item !== 'object' || item === null || struct(item)) : struct(value))
    }
    default:
      return undefined
  }
}
