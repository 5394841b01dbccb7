import { isJsonObject, type Json, type JsonObject, objectIn } from '../api/meta/object.ts'
import { setMember } from '../meta/equal.ts'

/** Path in FieldsV1 of the annotation that a client-side apply writes. */
const LAST_APPLIED = ['f:metadata', 'f:annotations', 'f:kubectl.kubernetes.io/last-applied-configuration'] as const

/**
 * Returns the managed fields of an object in which the fields that the manager wrote otherwise belong to its server-side
 * apply, as do those of a client-side apply. Without this, an apply would keep fields that the manifest no longer has.
 * kubectl migrates objects in the same way. Undefined if there is nothing to migrate.
 * https://kubernetes.io/docs/reference/using-api/server-side-apply/#migration-between-client-side-and-server-side-apply
 */
export function migratedFields({ metadata }: JsonObject, manager: string): JsonObject[] | undefined {
  const entries = fieldEntries(objectIn(metadata).managedFields)
  const [latest] = entries.filter(entry => isMigrated(entry, manager)).toReversed()
  if (latest === undefined) return undefined
  const isOwn = (entry: JsonObject): boolean => isMigrated(entry, manager) || isApply(entry, manager)
  const fieldsV1 = entries.filter(isOwn).reduce((all, entry) => united(all, objectIn(entry.fieldsV1)), {})
  return [...entries.filter(entry => !isOwn(entry)), { ...latest, manager, operation: 'Apply', fieldsV1 }]
}

const fieldEntries = (value: Json | undefined): JsonObject[] => (Array.isArray(value) ? value.filter(isJsonObject) : [])

const isOfObject = ({ subresource = '' }: JsonObject): boolean => subresource === ''

const isApply = (entry: JsonObject, manager: string): boolean =>
  entry.operation === 'Apply' && entry.manager === manager && isOfObject(entry)

const isMigrated = (entry: JsonObject, manager: string): boolean =>
  entry.operation === 'Update' && isOfObject(entry) && (entry.manager === manager || hasLastApplied(entry))

function hasLastApplied({ fieldsV1 }: JsonObject): boolean {
  let fields: Json | undefined = fieldsV1
  for (const name of LAST_APPLIED) fields = objectIn(fields)[name]
  return fields !== undefined
}

/** Union of two sets of fields. */
function united(a: JsonObject, b: JsonObject): JsonObject {
  const all = { ...a }
  for (const [name, fields] of Object.entries(b)) setMember(all, name, united(objectIn(all[name]), objectIn(fields)))
  return all
}
