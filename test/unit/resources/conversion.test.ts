import { expect } from 'chai'
import type { JsonObject, KubeObject } from '../../../src/api/meta/object.ts'
import { apiVersionOfVersion } from '../../../src/catalog/catalog.ts'
import type { ResourceDefinition, Version } from '../../../src/catalog/definition.ts'
import { seededRandom } from '../../../src/lib/seeded-random.ts'
import { runAtOnce } from '../../../src/lib/steps.ts'
import { gatesOf } from '../../../src/lifecycle/feature-gates.ts'
import { existsIn } from '../../../src/lifecycle/lifecycle.ts'
import type { Release } from '../../../src/lifecycle/release.ts'
import { clone } from '../../../src/meta/equal.ts'
import { afterStoring, convert, normalized, versionsOf } from '../../../src/registry/conversion/convert.ts'
import { applyDefaults } from '../../../src/schema/default.ts'
import { fillStruct } from '../../support/fill-schema.ts'
import { randomStruct } from '../../support/random-struct.ts'
import { servedBuiltins } from '../../support/served-builtins.ts'

const releases: readonly Release[] = Array.from({ length: 10 }, (_, i) => `1.${24 + i}` as const)
const RANDOM_OBJECTS = 20
/** How deep a schema, which has schemas in a dozen of its fields, is held to be already. */
const SCHEMA_DEPTH = 3

/**
 * Of these kinds an object may say the same in two ways, of which one is left after conversion: parts of a definition
 * that stand in two places, a node that the topology of an endpoint does not repeat, a device that says nothing or that
 * it is not for all nodes.
 */
const ONE_WAY_LEFT = [
  /^apiextensions\.k8s\.io\/\w+ CustomResourceDefinition$/,
  /^discovery\.k8s\.io\/v1beta1 EndpointSlice$/,
  /^resource\.k8s\.io\/\w+ ResourceSlice$/,
]

const isOneWayLeft = (version: Version): boolean => ONE_WAY_LEFT.some(each => each.test(`${apiVersionOfVersion(version)} ${version.kind}`))

/** The versions between which a release converts: the served ones and the storage version. */
const versionsIn = (definition: ResourceDefinition, release: Release): Version[] =>
  [...versionsOf(definition).values()].filter(
    version => version === definition.storage?.version || existsIn(release, apiVersionOfVersion(version), version.kind),
  )

/** As a body of the members becomes an object, and is stored. */
function objectOf(version: Version, members: JsonObject): KubeObject {
  const type = { kind: version.kind, apiVersion: apiVersionOfVersion(version) }
  const object = normalized(version, { ...members, ...type, metadata: { name: 'a', labels: { a: 'b' } } })
  applyDefaults(version.schema, object)
  const steps = version.setDefaults?.(object)
  if (steps) runAtOnce(steps)
  return runAtOnce(afterStoring(version, object))
}

/** An object of the version with nothing but what tells it from others, one with every field, and some with any. */
function* objects(version: Version): Generator<KubeObject> {
  yield objectOf(version, {})
  const depth = version.kind === 'CustomResourceDefinition' ? SCHEMA_DEPTH : 0
  yield objectOf(version, fillStruct(version.schema, '', depth))
  const random = seededRandom(version.kind.length)
  for (let i = 0; i < RANDOM_OBJECTS; i++) yield objectOf(version, randomStruct(version.schema, random, depth))
}

for (const release of releases) {
  const several = servedBuiltins(
    { 'api/all': true },
    'ClusterTrustBundle' in gatesOf(release) ? { ClusterTrustBundle: true } : {},
    [],
    release,
  )
    .map(definition => ({ definition, versions: versionsIn(definition, release) }))
    .filter(({ versions }) => versions.length > 1)

  describe(`conversion of the kinds of ${release}`, () => {
    for (const { definition, versions } of several)
      for (const from of versions)
        for (const to of versions) {
          if (from === to) continue
          it(`${from.kind}: ${apiVersionOfVersion(from)} round-trips through ${apiVersionOfVersion(to)} without loss`, () => {
            const there = (object: KubeObject): KubeObject => runAtOnce(afterStoring(to, convert(definition, clone(object), from, to)))
            const back = (object: KubeObject): KubeObject => runAtOnce(afterStoring(from, convert(definition, clone(object), to, from)))
            for (const given of objects(from)) {
              const object = isOneWayLeft(from) ? back(there(given)) : given
              expect([there(object).kind, there(object).apiVersion]).to.deep.equal([to.kind, apiVersionOfVersion(to)])
              expect(back(there(object))).to.deep.equal(object)
            }
          })
        }

    it('has kinds to test', () =>
      expect(several.map(({ definition }) => definition.hub.kind)).to.include.members(['Event', 'HorizontalPodAutoscaler']))
  })
}
