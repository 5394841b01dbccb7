import { expect } from 'chai'
import { isJsonObject, type Json, type JsonObject, type KubeObject } from '../../../src/api/meta/object.ts'
import type { ResourceDefinition } from '../../../src/catalog/definition.ts'
import { parseGates } from '../../../src/lifecycle/gates.ts'
import { RELEASES, type Release } from '../../../src/lifecycle/release.ts'
import { clone, deepEqual } from '../../../src/meta/equal.ts'
import { codecOf } from '../../../src/registry/codec.ts'
import { normalized } from '../../../src/registry/conversion/convert.ts'
import { builtinResources } from '../../../src/resources/builtin.ts'
import type { Revision } from '../../../src/storage/revision.ts'
import { fillStruct } from '../../support/fill-schema.ts'
import { type Call, inRelease } from '../../support/in-release.ts'
import { type MediaSample, ownSamples, probeSamples } from '../../support/media-samples.ts'
import { MemoryBackend } from '../../support/memory-backend.ts'

const [OLDEST = '1.33'] = RELEASES
const NEWEST = RELEASES.at(-1) ?? OLDEST
/** Releases up to the newest and back. */
const WALK: readonly Release[] = [...RELEASES.slice(1), ...RELEASES.slice(0, -1).reverse()]

/** LimitRanges are excluded: they would reject rewrites of objects that were created before them. */
const SAMPLES = [...probeSamples(), ...ownSamples].filter(({ body }) => body.kind !== 'LimitRange')

const NAMESPACE = 'walk'
const pathOf = ({ path, body }: MediaSample): string => `${path.replace('{ns}', NAMESPACE)}/${body.metadata.name}`

const create = async (call: Call, { path, body }: MediaSample): Promise<boolean> =>
  (await call(path.replace('{ns}', NAMESPACE), { method: 'POST', body: JSON.stringify(body) })).status === 201

/** Rewrites the object, changing only an annotation. */
const touch = (call: Call, path: string, release: Release) =>
  call(path, {
    method: 'PATCH',
    headers: { 'content-type': 'application/merge-patch+json' },
    body: JSON.stringify({ metadata: { annotations: { walked: release } } }),
  })

/** Removes fields that every write or release may change. */
function settled({ metadata, ...object }: JsonObject): JsonObject {
  const { resourceVersion: _, managedFields: __, generation: ___, annotations, ...meta } = metadata as JsonObject
  const { walked: ____, ...others } = (annotations ?? {}) as JsonObject
  return { ...object, metadata: { ...meta, ...(Object.keys(others).length > 0 && { annotations: others }) } }
}

/** Paths of values that differ or exist in only one object. */
function lost(before: Json, after: Json | undefined, path = ''): string[] {
  if (isJsonObject(before) && isJsonObject(after))
    return Object.entries(before).flatMap(([name, value]) => lost(value, after[name], `${path}.${name}`))
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length)
    return before.flatMap((value, i) => lost(value, after[i], `${path}[${i}]`))
  return deepEqual(before, after) ? [] : [path]
}

describe('a store served by one release after the other', () => {
  it('loses nothing that the oldest release wrote, although each rewrites it', async () => {
    const backend = new MemoryBackend()
    const first = new Map<string, JsonObject>()
    await inRelease(backend, OLDEST, async call => {
      await call('/api/v1/namespaces', { method: 'POST', body: JSON.stringify({ metadata: { name: NAMESPACE } }) })
      // Some objects cannot be rewritten, such as claims that admission counts as expanded.
      for (const sample of SAMPLES)
        if (!first.has(pathOf(sample)) && (await create(call, sample)))
          first.set(pathOf(sample), settled((await call(pathOf(sample))).json as JsonObject))
    })
    expect(first.size).to.be.greaterThan(40)
    const refused: string[] = []
    for (const release of WALK)
      await inRelease(backend, release, async call => {
        for (const path of first.keys()) {
          const { status } = await touch(call, path, release)
          // 404: the release does not serve the version.
          if (status !== 200 && status !== 404) refused.push(`${release} ${path}: ${status}`)
        }
      })
    const losses: string[] = []
    await inRelease(backend, OLDEST, async call => {
      for (const [path, before] of first)
        losses.push(...lost(before, settled((await call(path)).json as JsonObject)).map(at => `${path} ${at}`))
    })
    expect(refused).to.deep.equal([])
    expect(losses).to.deep.equal([])
  })

  it('keeps what the newest release wrote while others read it', async () => {
    const backend = new MemoryBackend()
    const all = (call: Call) => Promise.all(SAMPLES.map(async sample => (await call(pathOf(sample))).json))
    const before = await inRelease(backend, NEWEST, async call => {
      await call('/api/v1/namespaces', { method: 'POST', body: JSON.stringify({ metadata: { name: NAMESPACE } }) })
      for (const sample of SAMPLES) await create(call, sample)
      return all(call)
    })
    // Reads write nothing: each release reads the same store, whichever came before.
    for (const release of RELEASES) await inRelease(backend, release, all)
    expect(await inRelease(backend, NEWEST, all)).to.deep.equal(before)
  })
})

/** Stored versions of a release's kinds, by prefix. */
const storedIn = (release: Release): Map<string, ResourceDefinition> =>
  new Map(
    builtinResources({ features: parseGates(release), eventTtlSeconds: 1, serviceCIDRs: [], nodePortRange: { base: 1, size: 1 } }).flatMap(
      definition => (definition.storage ? [[`${definition.storage.prefix} ${definition.hub.kind}`, definition] as const] : []),
    ),
  )

const AT = 1 as Revision

/**
 * Releases with alpha versions that were redefined under the same name: another kube-apiserver cannot read objects
 * stored in them.
 */
const MADE_ANEW = new Map<string, readonly Release[]>([
  ['resource.k8s.io/v1alpha1', ['1.26']],
  ['resource.k8s.io/v1alpha2', ['1.27', '1.28', '1.29', '1.30']],
])

describe('objects with every field that pass through all releases', () => {
  const byRelease = new Map(RELEASES.map(release => [release, storedIn(release)]))
  function definitionIn(release: Release, key: string): ResourceDefinition {
    const definition = byRelease.get(release)?.get(key)
    if (!definition) throw new Error(`${release} has no ${key}`)
    return definition
  }
  const codec = (release: Release, key: string) => codecOf(definitionIn(release, key), 'test', 'protobuf')

  for (const [key, definition] of byRelease.get(OLDEST) ?? [])
    it(`are unchanged at the end, except for fields that a release in between lacks: ${key}`, () => {
      const { hub } = definition
      const type = { kind: hub.kind, apiVersion: hub.group === '' ? hub.name : `${hub.group}/${hub.name}` }
      const having = MADE_ANEW.get(type.apiVersion)
      const walk = having ? WALK.filter(release => having.includes(release)) : WALK
      const full = normalized(hub, { ...fillStruct(hub.schema), ...type, metadata: { name: 'a' } } as unknown as KubeObject)
      let bytes = codec(OLDEST, key).encode(clone(full))
      const first = codec(OLDEST, key).decode(bytes, AT)
      let expected = clone(first) as KubeObject
      for (const release of walk) {
        const { schema, name } = definitionIn(release, key).hub
        bytes = codec(release, key).encode(clone(codec(release, key).decode(bytes, AT)) as KubeObject)
        // A release whose hook version is another one converts the object.
        if (name === hub.name) expected = normalized({ schema }, expected)
      }
      expect(lost(expected as unknown as Json, codec(OLDEST, key).decode(bytes, AT) as unknown as Json)).to.deep.equal([])
    })
})
