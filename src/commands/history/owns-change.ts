import { isJsonObject, type Json, objectIn } from '../../api/meta/object.ts'
import { parsedObject } from '../../meta/json-members.ts'
import { sameJson } from '../../meta/same-json.ts'

/** Fields that are nested more deeply are compared as a whole. */
const DEEPEST = 50

/** Reports whether any field of a FieldsV1 differs between two states of an object. */
export const ownsChange = (fields: Json | undefined, from: Json | undefined, to: Json | undefined, depth = 0): boolean =>
  fieldElements(fields).some(([element, below]) => {
    const [was, is] = [at(from, element), at(to, element)]
    if (depth < DEEPEST && fieldElements(below).length > 0) return ownsChange(below, was, is, depth + 1)
    return was === undefined || is === undefined ? was !== is : !sameJson(was, is)
  })

const fieldElements = (fields: Json | undefined): [string, Json][] =>
  Object.entries(objectIn(fields)).filter(([element]) => element !== '.')

/** Returns the value at a path element of FieldsV1: `f:name`, `k:{"name":"nginx"}`, `v:"value"` or `i:0`. */
function at(value: Json | undefined, element: string): Json | undefined {
  const [kind, text] = [element.slice(0, 2), element.slice(2)]
  if (kind === 'f:') return isJsonObject(value) && Object.hasOwn(value, text) ? value[text] : undefined
  if (!Array.isArray(value)) return undefined
  if (kind === 'k:') {
    const keys = Object.entries(parsedObject(text) ?? {})
    return value.find(item => isJsonObject(item) && keys.every(([name, key]) => item[name] === key))
  }
  return kind === 'v:' ? value.find(item => JSON.stringify(item) === text) : value[Number(text)]
}
