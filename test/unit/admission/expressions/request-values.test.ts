import { expect } from 'chai'
import { expressionValues, type SeenRequest, withoutAuthorizer, withParams } from '../../../../src/admission/expressions/request-values.ts'
import { AuthorizerValue } from '../../../../src/cel/functions/authorization.ts'
import { CelMap } from '../../../../src/cel/values/value.ts'

const request: SeenRequest = {
  kind: { group: '', version: 'v1', kind: 'ConfigMap' },
  resource: { group: '', version: 'v1', resource: 'configmaps' },
  requestKind: { group: '', version: 'v1', kind: 'ConfigMap' },
  requestResource: { group: '', version: 'v1', resource: 'configmaps' },
  subresource: '',
  name: 'a',
  namespace: 'default',
  operation: 'CREATE',
  user: { name: 'me', groups: [] },
  dryRun: false,
}
const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }
const authorizer = new AuthorizerValue(() => ({ allowed: false, reason: '' }))

describe('expressionValues', () => {
  it('encodes each variable once for all expressions', () => {
    const values = expressionValues({ request, object, namespaceObject: object, authorizer })
    for (const name of ['object', 'request', 'namespaceObject', 'authorizer', 'authorizer.requestResource'])
      expect(values.get(name), name).to.be.an('object').and.equal(values.get(name))
  })

  it('returns null for absent objects, and undefined for unknown variables', () => {
    const values = expressionValues({ request })
    for (const name of ['object', 'oldObject', 'params', 'namespaceObject']) expect(values.get(name), name).to.equal(null)
    for (const name of ['authorizer', 'authorizer.requestResource', 'constructor']) expect(values.get(name), name).to.equal(undefined)
  })

  it('shares other variables when params are replaced', () => {
    const values = expressionValues({ request, object })
    const [one, two] = ['one', 'two'].map(name => withParams(values, { name }))
    const nameOf = (params: unknown): unknown => (params instanceof CelMap ? params.find('name') : undefined)
    expect([nameOf(one?.get('params')), nameOf(two?.get('params')), values.get('params')]).to.deep.equal(['one', 'two', null])
    expect(one?.get('object')).to.equal(two?.get('object'))
  })

  it('hides the authorizer from expressions that may not use it', () => {
    const values = expressionValues({ request, object, authorizer })
    const plain = withoutAuthorizer(values)
    expect([plain.get('authorizer'), plain.get('authorizer.requestResource')]).to.deep.equal([undefined, undefined])
    expect(plain.get('object')).to.equal(values.get('object'))
  })
})
