import { isJsonObject, type Json, type JsonObject } from '../api/meta/object.ts'

/** Returns the items of a list that are objects. Empty if the value is not a list. */
export const objectsIn = (value: Json | undefined): JsonObject[] => (Array.isArray(value) ? value.filter(isJsonObject) : [])

/** Returns a string. Empty if the value is of another type. */
export const textIn = (value: Json | undefined): string => (typeof value === 'string' ? value : '')

/** Returns the items of a list that are strings. Empty if the value is not a list. */
export const textsIn = (value: Json | undefined): string[] => (Array.isArray(value) ? value.filter(item => typeof item === 'string') : [])

/** Returns a member that is an object. If it is not, sets it to an empty object. */
export function objectAt(parent: JsonObject, name: string): JsonObject {
  const found = parent[name]
  if (isJsonObject(found)) return found
  const made: JsonObject = {}
  parent[name] = made
  return made
}

/** Renames a member. */
export function rename(object: JsonObject, from: string, to: string): void {
  const value = object[from]
  if (value === undefined) return
  delete object[from]
  object[to] = value
}

/** Parses JSON text that contains an object. Undefined if it contains anything else or is not JSON. */
export function parsedObject(text: string): JsonObject | undefined {
  try {
    const value: Json = JSON.parse(text)
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
