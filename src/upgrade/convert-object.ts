import { apiVersionOfVersion } from '../catalog/catalog.ts'
import type { Version } from '../catalog/definition.ts'
import { clone, deepEqual } from '../meta/equal.ts'
import { decodedObject, isJsonObject, type Json, type JsonObject, type KubeObject } from '../meta/object.ts'
import { convert } from '../registry/convert.ts'
import { applyKindDefaults, decodeObject } from '../registry/decode-object.ts'
import { decode } from '../schema/decode.ts'
import type { FoundKind, ReleaseKinds } from './versions/release-kinds.ts'

/** An object in the version to move to. */
export interface Conversion {
  readonly to: Version
  /** What the old version reads from the object, without defaults. */
  readonly before: KubeObject
  /** The same in the new version, with those defaults of the old one that the new one has otherwise. */
  readonly after: JsonObject
  /** Members of `after` that the old version implied and the new one would not: their paths and values. */
  readonly implied: readonly { readonly path: string; readonly value: Json }[]
  /** Members that the old version does not know: they are left as they are. */
  readonly unknown: readonly string[]
  /** Members that the old version knows, and the new one has no place for. */
  readonly lost: readonly string[]
}

/** Undefined where the object is in the best version of the release already. Throws DecodeError for an object that is none of its kind. */
export function convertObject(kinds: ReleaseKinds, found: FoundKind, value: JsonObject): Conversion | undefined {
  const { definition, version } = found
  const to = kinds.successorOf(found)
  if (to === undefined) return undefined
  const unknown: string[] = []
  const before = decodedObject({ ...decode(version.schema, value, { keepEmpty: true, onUnknown: path => unknown.push(path) }), ...namesOf(value) })
  const plain = convert(definition, clone(before), version, to)
  // What the old version makes of it, and what the new one makes of the same members.
  const meant = inVersion(to, convert(definition, applyKindDefaults(version, clone(before)), version, to))
  const read = inVersion(to, clone(plain))
  const implied: { path: string; value: Json }[] = []
  const after = withImplied(plain, read, meant, (path, member) => implied.push({ path, value: member }))
  const lost = kinds.formerFields(found, value, unknown)
  decode(to.schema, after, { keepEmpty: true, onUnknown: path => lost.push(path) })
  const never = unknown.filter(path => !lost.includes(path))
  return { to, before, after: withoutEmpty(to, before, isJsonObject(after) ? after : plain), implied, unknown: never, lost }
}

const namesOf = ({ kind, apiVersion }: JsonObject): { kind: string; apiVersion: string } => ({ kind: String(kind), apiVersion: String(apiVersion) })

/** As a server of the release would read it, defaults included. */
function inVersion(version: Version, object: KubeObject): KubeObject {
  return decodeObject(version, { ...object, apiVersion: apiVersionOfVersion(version) })
}

/**
 * `plain` with the members in which `read` (what the new version makes of it) differs from `meant` (what the old version made of it). Lists are compared item by item where they are of one length.
 */
function withImplied(plain: Json | undefined, read: Json | undefined, meant: Json, note: (path: string, value: Json) => void, path = ''): Json {
  if (deepEqual(read, meant)) return plain ?? null
  if (isJsonObject(meant) && (plain === undefined || isJsonObject(plain)) && (read === undefined || isJsonObject(read))) {
    const out: JsonObject = { ...plain }
    for (const [key, member] of Object.entries(meant))
      if (!deepEqual(read?.[key], member)) out[key] = withImplied(plain?.[key], read?.[key], member, note, path === '' ? key : `${path}.${key}`)
    return out
  }
  if (Array.isArray(meant) && Array.isArray(plain) && Array.isArray(read) && plain.length === meant.length && read.length === meant.length)
    return meant.map((item, i) => withImplied(plain[i], read[i], item, note, `${path}[${i}]`))
  note(path, meant)
  return meant
}

/**
 * `after` without what only encoding adds: members that are empty, that `before` does not have, and that decoding adds again. What a user writes as empty, as a selector, stays.
 */
function withoutEmpty(version: Version, before: JsonObject, after: JsonObject): JsonObject {
  const whole = decode(version.schema, after, { keepEmpty: true })
  const out = clone(after)
  const visit = (object: JsonObject, old: Json | undefined): void => {
    for (const [key, member] of Object.entries(object)) {
      const oldMember = isJsonObject(old) ? old[key] : undefined
      if (isEmpty(member) && oldMember === undefined) {
        delete object[key]
        if (!deepEqual(decode(version.schema, out, { keepEmpty: true }), whole)) object[key] = member
      } else if (isJsonObject(member)) visit(member, oldMember)
      else if (Array.isArray(member))
        for (const [i, item] of member.entries()) if (isJsonObject(item)) visit(item, Array.isArray(oldMember) ? oldMember[i] : undefined)
    }
  }
  visit(out, before)
  return out
}

const isEmpty = (value: Json): boolean =>
  value === null || value === '' || value === 0 || value === false || (typeof value === 'object' && Object.values(value).every(isEmpty))
