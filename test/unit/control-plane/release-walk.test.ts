import { expect } from 'chai'
import type { ResourceDefinition } from '../../../src/catalog/definition.ts'
import { parseGates } from '../../../src/lifecycle/gates.ts'
import { RELEASES, type Release } from '../../../src/lifecycle/release.ts'
import { clone, deepEqual } from '../../../src/meta/equal.ts'
import { isJsonObject, type Json, type JsonObject, type KubeObject } from '../../../src/meta/object.ts'
import { codecOf } from '../../../src/registry/codec.ts'
import { normalized } from '../../../src/registry/convert.ts'
import { builtinResources } from '../../../src/resources/builtin.ts'
import type { Revision } from '../../../src/storage/revision.ts'
import { fillStruct } from '../../support/fill-schema.ts'
import { type Call, inRelease } from '../../support/in-release.ts'
import { type MediaSample, ownSamples, probeSamples } from '../../support/media-samples.ts'
import { MemoryBackend } from '../../support/memory-backend.ts'

const [OLDEST = '1.33'] = RELEASES
const NEWEST = RELEASES.at(-1) ?? OLDEST
/** To the newest and back, each once but for the newest. */
const WALK: readonly Release[] = [...RELEASES.slice(1), ...RELEASES.slice(0, -1).reverse()]

/** Limits would refuse writes of what was there before them. */
const SAMPLES = [...probeSamples(), ...ownSamples].filter(({ body }) => body.kind !== 'LimitRange')

const NAMESPACE = 'walk'
const pathOf = ({ path, body }: MediaSample): string => `${path.replace('{ns}', NAMESPACE)}/${body.metadata.name}`

const create = async (call: Call, { path, body }: MediaSample): Promise<boolean> =>
  (await call(path.replace('{ns}', NAMESPACE), { method: 'POST', body: JSON.stringify(body) })).status === 201

/** Writes the object without changing what it says. */
const touch = (call: Call, path: string, release: Release) =>
  call(path, {
    method: 'PATCH',
    headers: { 'content-type': 'application/merge-patch+json' },
    body: JSON.stringify({ metadata: { annotations: { walked: release } } }),
  })

/** What every write and every release may change. */
function settled({ metadata, ...object }: JsonObject): JsonObject {
  const { resourceVersion: _, managedFields: __, generation: ___, annotations, ...meta } = metadata as JsonObject
  const { walked: ____, ...others } = (annotations ?? {}) as JsonObject
  return { ...object, metadata: { ...meta, ...(Object.keys(others).length > 0 && { annotations: others }) } }
}

/** Paths of values that are in one and not in the other, or not the same there. */
function lost(before: Json, after: Json | undefined, path = ''): string[] {
  if (isJsonObject(before) && isJsonObject(after)) return Object.entries(before).flatMap(([name, value]) => lost(value, after[name], `${path}.${name}`))
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length)
    return before.flatMap((value, i) => lost(value, after[i], `${path}[${i}]`))
  return deepEqual(before, after) ? [] : [path]
}

describe('a store under one release after the other', () => {
  it('loses nothing of what the oldest one wrote, although each one writes it', async () => {
    const backend = new MemoryBackend()
    const first = new Map<string, JsonObject>()
    await inRelease(backend, OLDEST, async call => {
      await call('/api/v1/namespaces', { method: 'POST', body: JSON.stringify({ metadata: { name: NAMESPACE } }) })
      // Some objects cannot be written again, such as claims that admission counts as grown.
      for (const sample of SAMPLES)
        if (!first.has(pathOf(sample)) && (await create(call, sample))) first.set(pathOf(sample), settled((await call(pathOf(sample))).json as JsonObject))
    })
    expect(first.size).to.be.greaterThan(40)
    const refused: string[] = []
    for (const release of WALK)
      await inRelease(backend, release, async call => {
        for (const path of first.keys()) {
          const { status } = await touch(call, path, release)
          // 404: the release does not serve the version any more.
          if (status !== 200 && status !== 404) refused.push(`${release} ${path}: ${status}`)
        }
      })
    const losses: string[] = []
    await inRelease(backend, OLDEST, async call => {
      for (const [path, before] of first) losses.push(...lost(before, settled((await call(path)).json as JsonObject)).map(at => `${path} ${at}`))
    })
    expect(refused).to.deep.equal([])
    expect(losses).to.deep.equal([])
  }).timeout(60_000)

  it('keeps what the newest one wrote while others read it', async () => {
    const backend = new MemoryBackend()
    const all = (call: Call) => Promise.all(SAMPLES.map(async sample => (await call(pathOf(sample))).json))
    const before = await inRelease(backend, NEWEST, async call => {
      await call('/api/v1/namespaces', { method: 'POST', body: JSON.stringify({ metadata: { name: NAMESPACE } }) })
      for (const sample of SAMPLES) await create(call, sample)
      return all(call)
    })
    for (const release of WALK) await inRelease(backend, release, all)
    expect(await inRelease(backend, NEWEST, all)).to.deep.equal(before)
  }).timeout(60_000)
})

/** What the kinds of a release store, by their prefixes. */
const storedIn = (release: Release): Map<string, ResourceDefinition> =>
  new Map(
    builtinResources({ features: parseGates(release), eventTtlSeconds: 1, serviceCIDRs: [], nodePortRange: { base: 1, size: 1 } }).flatMap(definition =>
      definition.storage ? [[`${definition.storage.prefix} ${definition.hub.kind}`, definition] as const] : [],
    ),
  )

const AT = 1 as Revision

/** The releases that have versions whose kinds were made anew under their old names: no other kube-apiserver can read what is stored of them. */
const MADE_ANEW = new Map<string, readonly Release[]>([
  ['resource.k8s.io/v1alpha1', ['1.26']],
  ['resource.k8s.io/v1alpha2', ['1.27', '1.28', '1.29', '1.30']],
])

describe('objects with every field that go from release to release', () => {
  const byRelease = new Map(RELEASES.map(release => [release, storedIn(release)]))
  function definitionIn(release: Release, key: string): ResourceDefinition {
    const definition = byRelease.get(release)?.get(key)
    if (!definition) throw new Error(`${release} has no ${key}`)
    return definition
  }
  const codec = (release: Release, key: string) => codecOf(definitionIn(release, key), 'test', 'protobuf')

  for (const [key, definition] of byRelease.get(OLDEST) ?? [])
    it(`are the same at the end, but for what a release between them does not have: ${key}`, () => {
      const { hub } = definition
      const type = { kind: hub.kind, apiVersion: hub.group === '' ? hub.name : `${hub.group}/${hub.name}` }
      const having = MADE_ANEW.get(type.apiVersion)
      const walk = having ? WALK.filter(release => having.includes(release)) : WALK
      const full = normalized(hub, { ...fillStruct(hub.schema), ...type, metadata: { name: 'a' } } as unknown as KubeObject)
      let bytes = codec(OLDEST, key).encode(clone(full))
      const first = codec(OLDEST, key).decode(bytes, AT)
      let expected = clone(first) as KubeObject
      for (const release of walk) {
        const { schema } = definitionIn(release, key).hub
        bytes = codec(release, key).encode(clone(codec(release, key).decode(bytes, AT)) as KubeObject)
        expected = normalized({ schema }, expected)
      }
      expect(lost(expected as unknown as Json, codec(OLDEST, key).decode(bytes, AT) as unknown as Json)).to.deep.equal([])
    })
})
