import { isJsonObject, type Json, type JsonObject, objectIn } from '../api/meta/object.ts'

/** Text in place of a value of a Secret. */
const mask = (value: unknown): string => `*** (${String(value).length} characters)`

const maskedMembers = (values: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, mask(value)]))

/** Copy of a stored Secret with its values replaced by their lengths. */
export const maskedSecret = (secret: JsonObject): JsonObject => ({ ...secret, data: maskedMembers(objectIn(secret.data)) })

const SECRET_MAP = /^\/(?:data|stringData)$/
const SECRET_VALUE = /^\/(?:data|stringData)\//

/**
 * The value of a changed field as findings show it. The values of a Secret are replaced by their lengths.
 * @param pointer JSON pointer of the field. It is empty where a webhook replaces the whole object.
 */
export function shownValue(kind: string, pointer: string, value: Json | undefined): Json | undefined {
  if (kind !== 'Secret' || value === undefined) return value
  if (pointer === '') return '***'
  if (SECRET_MAP.test(pointer)) return isJsonObject(value) ? maskedMembers(value) : mask(value)
  return SECRET_VALUE.test(pointer) ? mask(value) : value
}
