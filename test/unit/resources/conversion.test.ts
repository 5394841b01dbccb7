import { expect } from 'chai'
import { apiVersionOfVersion } from '../../../src/catalog/catalog.ts'
import type { Version } from '../../../src/catalog/definition.ts'
import { clone } from '../../../src/meta/equal.ts'
import type { KubeObject } from '../../../src/meta/object.ts'
import { convert, normalized, versionsOf } from '../../../src/registry/convert.ts'
import { builtinResources } from '../../../src/resources/builtin.ts'
import { fillStruct } from '../../support/fill-schema.ts'
import { featuresOf } from '../../support/hook-context.ts'

const several = builtinResources({ features: featuresOf(), eventTtlSeconds: 1, serviceCIDRs: [], nodePortRange: { base: 1, size: 1 } }).filter(
  each => versionsOf(each).size > 1,
)

/**
 * Of these versions an object may say the same in two ways, of which one is left after conversion: parts of a definition that stand in two places, a node that the topology of an endpoint does not
 * repeat.
 */
const ONE_WAY_LEFT = ['apiextensions.k8s.io/v1beta1', 'discovery.k8s.io/v1beta1']

/** An object of the version with nothing but what tells it from others, and one with every field. */
function objects(version: Version): Record<string, KubeObject> {
  const type = { kind: version.kind, apiVersion: apiVersionOfVersion(version) }
  const empty = normalized(version, { ...type, metadata: { name: 'a' } })
  const full = normalized(version, { ...fillStruct(version.schema), ...type, metadata: { name: 'a', labels: { a: 'b' } } })
  return { empty, full }
}

describe('conversion of built-in kinds', () => {
  for (const definition of several)
    for (const from of versionsOf(definition).values())
      for (const to of versionsOf(definition).values()) {
        if (from === to) continue
        const isOneOfTwo = ONE_WAY_LEFT.includes(apiVersionOfVersion(from))
        for (const [what, given] of Object.entries(objects(from)))
          it(`${from.kind}: an ${what} ${apiVersionOfVersion(from)} goes through ${apiVersionOfVersion(to)} without loss`, () => {
            const through = (object: KubeObject): KubeObject => {
              const there = normalized(to, convert(definition, clone(object), from, to))
              return normalized(from, convert(definition, there, to, from))
            }
            const object = isOneOfTwo ? through(given) : given
            const there = normalized(to, convert(definition, clone(object), from, to))
            expect([there.kind, there.apiVersion]).to.deep.equal([to.kind, apiVersionOfVersion(to)])
            expect(through(object)).to.deep.equal(object)
          })
      }

  it('is there to be tested', () => expect(several.map(({ hub }) => hub.kind)).to.include.members(['Event', 'IPAddress', 'ServiceCIDR']))
})
