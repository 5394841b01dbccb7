import { decodedObject, isJsonObject, type Json, type JsonObject, type KubeObject } from '../api/meta/object.ts'
import { apiVersionOfVersion } from '../catalog/catalog.ts'
import type { Version } from '../catalog/definition.ts'
import { clone, deepEqual } from '../meta/equal.ts'
import { convert } from '../registry/conversion/convert.ts'
import { applyKindDefaults, decodeObject } from '../registry/decode-object.ts'
import { decode } from '../schema/decode.ts'
import type { ReleaseKinds, ServedKind } from './versions/release-kinds.ts'

/** Result of converting an object. */
export interface Conversion {
  readonly to: Version
  /** The object as the old version decodes it, without defaults. */
  readonly before: KubeObject
  /** The object in the new version, with those defaults of the old version that the new one has differently. */
  readonly after: JsonObject
  /** Paths and values of members of `after` that were defaults of the old version and are not those of the new one. */
  readonly implied: readonly { readonly path: string; readonly value: Json }[]
  /** Members that the old version does not have. They are kept. */
  readonly unknown: readonly string[]
  /** Members of the old version that the new one does not have. */
  readonly lost: readonly string[]
}

/**
 * Converts an object. Returns undefined if it already has the best version of the release. Throws DecodeError if it is
 * not an object of its kind.
 */
export function convertObject(kinds: ReleaseKinds, found: ServedKind, value: JsonObject): Conversion | undefined {
  const { definition, version } = found
  const to = kinds.successorOf(found)
  if (to === undefined) return undefined
  const unknown: string[] = []
  const before = decodedObject({
    ...decode(version.schema, value, { keepEmpty: true, onUnknown: path => unknown.push(path) }),
    ...kindAndVersion(value),
  })
  const plain = convert(definition, clone(before), version, to)
  // `meant` is the object with the defaults of the old version, `read` the same members with the defaults of the new
  // one.
  const meant = decodeInVersion(to, convert(definition, applyKindDefaults(version, clone(before)), version, to))
  const read = decodeInVersion(to, clone(plain))
  const implied: { path: string; value: Json }[] = []
  const after = withImplied(plain, read, meant, (path, member) => implied.push({ path, value: member }))
  const lost = kinds.formerFields(found, value, unknown)
  decode(to.schema, after, { keepEmpty: true, onUnknown: path => lost.push(path) })
  const never = unknown.filter(path => !lost.includes(path))
  return { to, before, after: withoutEmpty(to, before, isJsonObject(after) ? after : plain), implied, unknown: never, lost }
}

const kindAndVersion = ({ kind, apiVersion }: JsonObject): { kind: string; apiVersion: string } => ({
  kind: String(kind),
  apiVersion: String(apiVersion),
})

/** Decodes an object like a server of the release, with defaults. */
function decodeInVersion(version: Version, object: KubeObject): KubeObject {
  return decodeObject(version, { ...object, apiVersion: apiVersionOfVersion(version) })
}

/**
 * Returns `plain` with the members in which `read` (with the defaults of the new version) differs from `meant` (with
 * those of the old one). Lists of equal length are compared item by item.
 */
function withImplied(
  plain: Json | undefined,
  read: Json | undefined,
  meant: Json,
  note: (path: string, value: Json) => void,
  path = '',
): Json {
  if (deepEqual(read, meant)) return plain ?? null
  if (isJsonObject(meant) && (plain === undefined || isJsonObject(plain)) && (read === undefined || isJsonObject(read))) {
    const out: JsonObject = { ...plain }
    for (const [key, member] of Object.entries(meant))
      if (!deepEqual(read?.[key], member))
        out[key] = withImplied(plain?.[key], read?.[key], member, note, path === '' ? key : `${path}.${key}`)
    return out
  }
  if (Array.isArray(meant) && Array.isArray(plain) && Array.isArray(read) && plain.length === meant.length && read.length === meant.length)
    return meant.map((item, i) => withImplied(plain[i], read[i], item, note, `${path}[${i}]`))
  note(path, meant)
  return meant
}

/**
 * Returns `after` without empty members that only encoding adds: `before` does not have them, and decoding adds them
 * again. A member that the user has set to an empty value, such as a selector, is kept.
 */
function withoutEmpty(version: Version, before: JsonObject, after: JsonObject): JsonObject {
  const whole = decode(version.schema, after, { keepEmpty: true })
  const out = clone(after)
  const visit = (object: JsonObject, old: Json | undefined): void => {
    for (const [key, member] of Object.entries(object)) {
      const oldMember = isJsonObject(old) ? old[key] : undefined
      if (isEmptyValue(member) && oldMember === undefined) {
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

const isEmptyValue = (value: Json): boolean =>
  value === null ||
  value === '' ||
  value === 0 ||
  value === false ||
  (typeof value === 'object' && Object.values(value).every(isEmptyValue))
