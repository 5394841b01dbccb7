import { isJsonObject, type Json, type JsonObject } from './object.ts'

/** The items of a list that are objects; none where the value is no list. */
export const objectsIn = (value: Json | undefined): JsonObject[] => (Array.isArray(value) ? value.filter(isJsonObject) : [])

/** The items of a list that are texts; none where the value is no list. */
export const textsIn = (value: Json | undefined): string[] => (Array.isArray(value) ? value.filter(item => typeof item === 'string') : [])

/** A member that is an object. Where there is none, an empty one becomes the member. */
export function objectAt(parent: JsonObject, name: string): JsonObject {
  const found = parent[name]
  if (isJsonObject(found)) return found
  const made: JsonObject = {}
  parent[name] = made
  return made
}

/** Gives a member another name. */
export function rename(object: JsonObject, from: string, to: string): void {
  const value = object[from]
  if (value === undefined) return
  delete object[from]
  object[to] = value
}

/** The object that a text of JSON holds; undefined where it holds something else or is no JSON. */
export function parsedObject(text: string): JsonObject | undefined {
  try {
    const value: Json = JSON.parse(text)
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
