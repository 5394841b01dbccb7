import { expect } from 'chai'
import { isJsonObject, type Json, type JsonObject } from '../../../src/api/meta/object.ts'
import type { ResourceDefinition } from '../../../src/catalog/definition.ts'
import { gatesOf } from '../../../src/lifecycle/feature-gates.ts'
import { minorOf, RELEASES, type Release } from '../../../src/lifecycle/release.ts'
import { codecOf } from '../../../src/registry/codec.ts'
import { decode } from '../../../src/schema/decode.ts'
import { revision } from '../../../src/storage/revision.ts'
import type { AnyObject } from '../../support/any-object.ts'
import { fillStruct } from '../../support/fill-schema.ts'
import { servedBuiltins } from '../../support/served-builtins.ts'

/** Gates without which some kinds are not served. */
const GATES = ['ClusterTrustBundle', 'StorageVersionMigrator'] as const

/** Every kind that a release stores, by key prefix. */
function storedIn(release: Release): ReadonlyMap<string, ResourceDefinition> {
  const known = gatesOf(release)
  const gates = Object.fromEntries(GATES.filter(gate => known[gate] && !known[gate].locked).map(gate => [gate, true]))
  const definitions = servedBuiltins({ 'api/all': true }, gates, ['10.0.0.0/24'], release)
  return new Map(definitions.flatMap(definition => (definition.storage ? [[definition.storage.prefix, definition]] : [])))
}

const MINORS = RELEASES.map(minorOf)
const walked = new Map(MINORS.map(minor => [minor, storedIn(`1.${minor}`)]))
/** The releases from one to the other, in either direction. */
const between = (from: number, to: number): number[] =>
  from <= to ? MINORS.filter(minor => minor >= from && minor <= to) : MINORS.filter(minor => minor >= to && minor <= from).toReversed()

/** An object of the hub version with a value in every field of the release. */
function filled({ hub }: ResourceDefinition): AnyObject {
  const apiVersion = hub.group === '' ? hub.name : `${hub.group}/${hub.name}`
  const { metadata: _, ...rest } = fillStruct(hub.schema) as JsonObject
  // Members show the version in which a device was requested: both versions together are rejected.
  const body = JSON.parse(JSON.stringify(rest), (key, value) => (key === 'firstAvailable' ? undefined : value)) as JsonObject
  const metadata = { name: 'x', namespace: 'ns', uid: 'u', generation: 3, labels: { a: 'b' }, annotations: { c: 'd' }, finalizers: ['e/f'] }
  return decode(hub.schema, { ...body, kind: hub.kind, apiVersion, metadata } as unknown as Json) as unknown as AnyObject
}

/** The object after a server of each release has read and written it. Releases without the kind leave it unchanged. */
function walk(prefix: string, object: AnyObject, minors: readonly number[]): AnyObject {
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

/**
 * Paths of values of the first object that are missing or different in the second. Lists are compared by their first
 * item.
 */
function lost(before: Json | undefined, after: Json | undefined, path = ''): string[] {
  if (before === undefined || before === null) return []
  if (Array.isArray(before)) return lost(before[0], Array.isArray(after) ? after[0] : undefined, `${path}[]`)
  if (!isJsonObject(before)) return JSON.stringify(before) === JSON.stringify(after) ? [] : [path]
  return Object.entries(before).flatMap(([name, value]) =>
    lost(value, isJsonObject(after) ? after[name] : undefined, path === '' ? name : `${path}.${name}`),
  )
}

const asJson = (object: AnyObject): Json =>
  JSON.parse(JSON.stringify(object, (key, value) => (key === 'resourceVersion' || key === 'apiVersion' ? undefined : value)))

describe('storage across releases', () => {
  for (const from of [24, 28, 31, 33] as const)
    for (const [prefix, definition] of walked.get(from) ?? [])
      it(`keeps ${prefix} of 1.${from}`, () => {
        const there = walk(prefix, filled(definition), [from, from])
        const back = walk(prefix, there, [...between(from, 36), ...between(36, from)])
        expect(lost(asJson(there), asJson(back)).filter(path => !isDropped(from, `${prefix} ${path}`))).to.deep.equal([])
      })

  for (const [prefix, definition] of walked.get(36) ?? []) {
    for (const to of [24, 28, 33] as const)
      if (walked.get(to)?.has(prefix))
        it(`keeps the fields of ${prefix} of 1.36 that 1.${to} has`, () => {
          const there = walk(prefix, filled(definition), [36, 36])
          const back = walk(prefix, there, [...between(36, to), ...between(to, 36)])
          const old = walk(prefix, there, [36, to, 36])
          expect(lost(asJson(old), asJson(back))).to.deep.equal([])
        })
  }
})

/** Fields that a release has removed and drops, by resource and path. */
const DROPPED: readonly (readonly [since: number, what: RegExp])[] = [
  // Objects do not store it, but templates in other objects do in 1.24.
  [25, /[mM]etadata\.clusterName$/],
  [28, /^(?:persistentvolumeclaims |statefulsets spec\.volumeClaimTemplates\[\]\.)status\.resizeStatus$/],
  [28, /^networkpolicies status\./],
  [29, /^persistentvolumeclaims spec\.resources\.claims|[vV]olumeClaimTemplate(?:s\[\])?\.spec\.resources\.claims/],
  [31, /^\w+ (?:\w+\.)*spec\.resourceClaims\[\]\.source\./],
  [31, /^resourceclaim(?:s|templates) /],
  [32, /^(?:resourceclaim(?:s|templates) .*(?:[cC]ontroller|deallocationRequested)$|deviceclasses spec\.suitableNodes\.)/],
  [34, /^devicetaintrules spec\.deviceSelector\.(?:deviceClassName|selectors)/],
  // 1.35 stores v1beta1, which has neither field.
  [35, /^storageversionmigrations spec\.(?:resource\.version|continueToken)$/],
]

const isDropped = (from: number, path: string): boolean => DROPPED.some(([since, what]) => from < since && what.test(path))
