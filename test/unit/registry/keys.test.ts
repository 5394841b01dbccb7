import { expect } from 'chai'
import type { ResourceDefinition } from '../../../src/catalog/definition.ts'
import { keySpace } from '../../../src/registry/keys.ts'
import { refusalText, widgetResource } from '../../support/test-registry.ts'

const at = (prefix: string, cluster = false): ResourceDefinition => {
  const definition = widgetResource({ cluster })
  return { ...definition, storage: { prefix, version: definition.hub } }
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
    [
      'cluster-scoped',
      at('minions', true),
      'ns',
      'a',
      ['/registry/minions/', '/registry/minions/', '/registry/minions/', '/registry/minions/a'],
    ],
  ]
  for (const [what, definition, namespace, name, [root, prefix, all, object]] of table)
    it(`are kube-apiserver's: ${what}`, () => {
      const keys = keySpace('/registry', definition)
      expect([keys.root, keys.prefix(namespace), keys.prefix(''), keys.object(namespace, name)]).to.deep.equal([root, prefix, all, object])
    })

  it('begin with the configured prefix', () => {
    expect(keySpace('/other/place', at('pods')).object('ns', 'a')).to.equal('/other/place/pods/ns/a')
  })

  const refused: [what: string, namespace: string, name: string, text: string][] = [
    ['a dot', 'ns', '.', `400 BadRequest: Name parameter invalid: ".": may not be '.'`],
    ['two dots', 'ns', '..', `400 BadRequest: Name parameter invalid: "..": may not be '..'`],
    ['a slash', 'ns', 'a/b', `400 BadRequest: Name parameter invalid: "a/b": may not contain '/'`],
    ['an escape', 'ns', 'a%2fb', `400 BadRequest: Name parameter invalid: "a%2fb": may not contain '%'`],
    ['both', 'ns', '/%', `400 BadRequest: Name parameter invalid: "/%": may not contain '/';may not contain '%'`],
    ['dots for a namespace', '..', 'a', '500 : invalid key: "/pods/../a"'],
  ]
  for (const [what, namespace, name, text] of refused)
    it(`are not built from names that are not path segments: ${what}`, async () => {
      expect(await refusalText(Promise.resolve().then(() => keySpace('/registry', at('pods')).object(namespace, name)))).to.equal(text)
    })

  it('are rejected in reads of the store if the namespace is not a path segment', async () => {
    const keys = keySpace('/registry', at('pods'))
    expect(await refusalText(Promise.resolve().then(() => keys.checkNamespace('..')))).to.equal('500 : invalid key: "/pods/.."')
    expect(await refusalText(Promise.resolve().then(() => keys.checkNamespace('.', 'x')))).to.equal('500 : invalid key: "/pods/./x"')
    keys.checkNamespace('ns')
  })

  it('do not exist for resources that are not stored', () => {
    const { storage: _, ...virtual } = widgetResource()
    expect(() => keySpace('/registry', virtual)).to.throw('Widget is not stored')
  })
})
