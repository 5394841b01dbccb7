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
        // There a definition may have the same parts in two places, which become one.
        if (from === to || (from.kind === 'CustomResourceDefinition' && from.name === 'v1beta1')) continue
        for (const [what, object] of Object.entries(objects(from)))
          it(`${from.kind}: an ${what} ${apiVersionOfVersion(from)} goes through ${apiVersionOfVersion(to)} without loss`, () => {
            const there = normalized(to, convert(definition, clone(object), from, to))
            expect([there.kind, there.apiVersion]).to.deep.equal([to.kind, apiVersionOfVersion(to)])
            expect(normalized(from, convert(definition, clone(there), to, from))).to.deep.equal(object)
          })
      }

  it('is there to be tested', () => expect(several.map(({ hub }) => hub.kind)).to.include.members(['Event', 'IPAddress', 'ServiceCIDR']))
})
