import { expect } from 'chai'
import type { ResourceDefinition } from '../../../src/catalog/definition.ts'
import type { Release } from '../../../src/lifecycle/release.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../src/meta/object.ts'
import { codecOf } from '../../../src/registry/codec.ts'
import { decode } from '../../../src/schema/decode.ts'
import { revision } from '../../../src/storage/revision.ts'
import type { AnyObject } from '../../support/any-object.ts'
import { fillStruct } from '../../support/fill-schema.ts'
import { servedBuiltins } from '../../support/served-builtins.ts'

/** Every kind that a release stores, by where it does so. */
function storedIn(release: Release): ReadonlyMap<string, ResourceDefinition> {
  const definitions = servedBuiltins({ 'api/all': true }, GATES, ['10.0.0.0/24'], release)
  return new Map(definitions.flatMap(definition => (definition.storage ? [[definition.storage.prefix, definition]] : [])))
}
/** Kinds that are served only while these are on. */
const GATES = { ClusterTrustBundle: true, StorageVersionMigrator: true }

const walked = new Map(([33, 34, 35, 36] as const).map(minor => [minor, storedIn(`1.${minor}`)]))
type Minor = typeof walked extends Map<infer K, unknown> ? K : never

/** An object with a value in every field that the release has, as its hub version holds it. */
function filled({ hub }: ResourceDefinition): AnyObject {
  const apiVersion = hub.group === '' ? hub.name : `${hub.group}/${hub.name}`
  const { metadata: _, ...rest } = fillStruct(hub.schema) as JsonObject
  // Which version a device was requested in is told by what it has: both at once are refused.
  const body = JSON.parse(JSON.stringify(rest), (key, value) => (key === 'firstAvailable' ? undefined : value)) as JsonObject
  const metadata = { name: 'x', namespace: 'ns', uid: 'u', generation: 3, labels: { a: 'b' }, annotations: { c: 'd' }, finalizers: ['e/f'] }
  return decode(hub.schema, { ...body, kind: hub.kind, apiVersion, metadata } as unknown as Json) as unknown as AnyObject
}

/** The object after servers of these releases have each read and written it. A release that has no such kind leaves it alone. */
function walk(prefix: string, object: AnyObject, minors: readonly Minor[]): AnyObject {
  let bytes: Buffer | undefined
  let seen = object
  for (const [i, minor] of minors.entries()) {
    const definition = walked.get(minor)?.get(prefix)
    if (!definition) continue
    // Another mark each time: what bears its own passes unread.
    const codec = codecOf(definition, `1.${minor} ${i}`)
    if (bytes) seen = codec.decode(bytes, revision(1)) as unknown as AnyObject
    bytes = codec.encode(seen as never)
  }
  return seen
}

/** Paths of what the first has and the second has otherwise, lists by their first item. */
function lost(before: Json | undefined, after: Json | undefined, path = ''): string[] {
  if (before === undefined || before === null) return []
  if (Array.isArray(before)) return lost(before[0], Array.isArray(after) ? after[0] : undefined, `${path}[]`)
  if (!isJsonObject(before)) return JSON.stringify(before) === JSON.stringify(after) ? [] : [path]
  return Object.entries(before).flatMap(([name, value]) => lost(value, isJsonObject(after) ? after[name] : undefined, path === '' ? name : `${path}.${name}`))
}

const asJson = (object: AnyObject): Json =>
  JSON.parse(JSON.stringify(object, (key, value) => (key === 'resourceVersion' || key === 'apiVersion' ? undefined : value)))

describe('a store that goes from release to release', () => {
  for (const [prefix, definition] of walked.get(33) ?? []) {
    it(`keeps ${prefix} of 1.33`, () => {
      const there = walk(prefix, filled(definition), [33, 33])
      const back = walk(prefix, there, [33, 34, 35, 36, 35, 34, 33])
      expect(lost(asJson(there), asJson(back))).to.deep.equal(GONE[prefix] ?? [])
    })
  }

  for (const [prefix, definition] of walked.get(36) ?? []) {
    const known = walked.get(33)?.get(prefix)
    if (!known) continue
    it(`keeps of ${prefix} of 1.36 what 1.33 knows`, () => {
      const there = walk(prefix, filled(definition), [36, 36])
      const back = walk(prefix, there, [36, 35, 34, 33, 34, 35, 36])
      const old = walk(prefix, there, [36, 33, 36])
      expect(lost(asJson(old), asJson(back))).to.deep.equal([])
    })
  }
})

/** What releases drop that do not have it any more. */
const GONE: Readonly<Record<string, readonly string[]>> = {
  devicetaintrules: ['spec.deviceSelector.deviceClassName', 'spec.deviceSelector.selectors[].cel.expression'],
  // 1.35 stores v1beta1, which has neither.
  storageversionmigrations: ['spec.resource.version', 'spec.continueToken'],
}
