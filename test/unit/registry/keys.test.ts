import { expect } from 'chai'
import type { ResourceDefinition } from '../../../src/catalog/definition.ts'
import { keySpace } from '../../../src/registry/keys.ts'
import { widgetResource } from '../../support/test-registry.ts'

const at = (prefix: string, cluster = false): ResourceDefinition => {
  const definition = widgetResource({ cluster })
  return { ...definition, storage: { prefix, version: definition.home } }
}

describe('keys of objects', () => {
  const table: [string, ResourceDefinition, string, string, [root: string, prefix: string, all: string, object: string]][] = [
    ['namespaced', at('pods'), 'ns', 'a', ['/registry/pods/', '/registry/pods/ns/', '/registry/pods/', '/registry/pods/ns/a']],
    [
      'below a prefix of two parts',
      at('services/specs'),
      'ns',
      'a',
      ['/registry/services/specs/', '/registry/services/specs/ns/', '/registry/services/specs/', '/registry/services/specs/ns/a'],
    ],
    ['cluster-scoped', at('minions', true), 'ns', 'a', ['/registry/minions/', '/registry/minions/', '/registry/minions/', '/registry/minions/a']],
  ]
  for (const [what, definition, namespace, name, [root, prefix, all, object]] of table)
    it(`are kube-apiserver's: ${what}`, () => {
      const keys = keySpace('/registry', definition)
      expect([keys.root, keys.prefix(namespace), keys.prefix(''), keys.object(namespace, name)]).to.deep.equal([root, prefix, all, object])
    })

  it('stand below the prefix of the configuration', () => {
    expect(keySpace('/other/place', at('pods')).object('ns', 'a')).to.equal('/other/place/pods/ns/a')
  })

  it('are not there for what is not stored', () => {
    const { storage: _, ...virtual } = widgetResource()
    expect(() => keySpace('/registry', virtual)).to.throw('Widget is not stored')
  })
})
