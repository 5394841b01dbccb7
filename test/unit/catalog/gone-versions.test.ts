import { expect } from 'chai'
import { Catalog } from '../../../src/catalog/catalog.ts'
import type { ResourceDefinition, Version } from '../../../src/catalog/definition.ts'
import { GoneVersions } from '../../../src/catalog/gone-versions.ts'
import { widgetResource } from '../../support/test-registry.ts'

/** Creates gadgets of x.io with these versions. */
function gadgets(versions: readonly string[], kind = 'Gadget'): ResourceDefinition {
  const { hub } = widgetResource()
  const made = versions.map((name): Version => ({ ...hub, group: 'x.io', name, kind, names: { plural: 'gadgets', singular: 'gadget' } }))
  return { ...widgetResource(), versions: made as [Version, ...Version[]], hub: made[0]! }
}

const gone = (version: string, isLast: boolean, kind = 'Gadget') => ({ group: 'x.io', version, kind, resource: 'gadgets', isLast })

describe('versions that are removed from the catalog', () => {
  const changes: readonly (readonly [name: string, before: ResourceDefinition[], after: ResourceDefinition[], told: readonly object[]])[] =
    [
      ['are all of a kind that is removed', [gadgets(['v1', 'v2'])], [], [gone('v1', true), gone('v2', true)]],
      ['are those that a kind does not serve any more', [gadgets(['v1', 'v2'])], [gadgets(['v2'])], [gone('v1', false)]],
      ['are those whose kind has another name', [gadgets(['v1'])], [gadgets(['v1'], 'Device')], [gone('v1', false)]],
      ['do not exist if a kind is added or replaced', [gadgets(['v1'])], [gadgets(['v1', 'v2'])], []],
    ]
  for (const [name, before, after, told] of changes)
    it(name, () => {
      const catalog = new Catalog(before)
      const found: object[] = []
      new GoneVersions(catalog).follow(version => found.push(version))
      catalog.replace(after)
      catalog.replace(after)
      expect(found).to.have.deep.members(told)
    })

  it('are found once for all followers', () => {
    const catalog = new Catalog([gadgets(['v1'])])
    const versions = new GoneVersions(catalog)
    const found: [object[], object[]] = [[], []]
    for (const each of found) versions.follow(version => each.push(version))
    catalog.replace([])
    expect(found).to.deep.equal([[gone('v1', true)], [gone('v1', true)]])
  })
})
