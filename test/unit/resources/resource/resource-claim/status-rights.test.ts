import { expect } from 'chai'
import type { ResourceClaim } from '../../../../../src/api/resource/v1beta2.types.ts'
import { parseGates } from '../../../../../src/lifecycle/gates.ts'
import type { Release } from '../../../../../src/lifecycle/release.ts'
import type { RequestAttributes, RequestContext, User } from '../../../../../src/meta/context.ts'
import { fieldErrorText } from '../../../../../src/meta/field-error.ts'
import { validateStatusRights } from '../../../../../src/resources/resource/resource-claim/status-rights.ts'
import { allowingIf } from '../../../../support/authorizer.ts'
import { hookContext } from '../../../../support/hook-context.ts'

const claim = (status: object): ResourceClaim =>
  ({ metadata: { name: 'c', namespace: 'ns' }, spec: { devices: {} }, status }) as ResourceClaim
const device = (driver: string, more: object = {}) => ({ driver, pool: 'p', device: 'd', ...more })
const onNode = (name: string) => ({
  devices: {},
  nodeSelector: { nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [name] }] }] },
})
const scheduler: User = { name: 'scheduler', groups: [] }
const driver: User = { name: 'system:serviceaccount:ns:driver', groups: [], extra: { 'authentication.kubernetes.io/node-name': ['n1'] } }

/**
 * Returns the permissions checked for a change, each as `verb subresource/name in namespace`, and the errors for a user
 * with only the given ones.
 */
async function rights(next: object, old: object, user = scheduler, has: readonly string[] = [], release: Release = '1.36') {
  const asked: string[] = []
  const authorizer = allowingIf(({ verb, subresource, name, namespace }: RequestAttributes) => {
    const right = `${verb} ${subresource}/${name} in ${namespace}`
    asked.push(right)
    return has.includes(right)
  })
  const info = {
    path: '/p',
    isResource: true,
    verb: 'update',
    group: 'resource.k8s.io',
    version: 'v1',
    resource: 'resourceclaims',
    subresource: 'status',
    namespace: 'ns',
    name: 'c',
  }
  const request = { user, info, signal: new AbortController().signal } as unknown as RequestContext
  const errors = await validateStatusRights(authorizer, claim(next), claim(old), hookContext({ request, features: parseGates(release) }))
  return { asked, errors: errors.map(fieldErrorText) }
}

describe('permissions for the status of ResourceClaims', () => {
  const allocation = onNode('n1')

  it('require resourceclaims/binding for allocating and reserving', async () => {
    const refused = await rights({ allocation }, {})
    expect(refused.asked).to.deep.equal(['update binding/ in '])
    expect(refused.errors).to.deep.equal([
      'status.allocation: Forbidden: changing status.allocation or status.reservedFor requires resource="resourceclaims/binding", verb="update" permission: resourceclaims.resource.k8s.io is forbidden: User "scheduler" cannot update resource "resourceclaims/binding" in API group "resource.k8s.io" at the cluster scope',
    ])
    expect(
      (await rights({ allocation, reservedFor: [{ resource: 'pods', name: 'p', uid: 'u' }] }, { allocation }, scheduler, refused.asked))
        .errors,
    ).to.deep.equal([])
  })

  it('are required for each driver whose devices change', async () => {
    const before = { allocation, devices: [device('b'), device('c'), device('d')] }
    const after = { allocation, devices: [device('a'), device('b', { data: {} }), device('c')] }
    const { asked, errors } = await rights(after, before, scheduler, [
      'arbitrary-node:update driver/a in ns',
      'arbitrary-node:update driver/d in ns',
    ])
    expect(asked).to.deep.equal(['a', 'b', 'd'].map(name => `arbitrary-node:update driver/${name} in ns`))
    expect(errors).to.have.length(1)
    expect(errors[0]).to.match(
      /^status.devices: Forbidden: changing status.devices requires resource="resourceclaims\/driver", verb="\[arbitrary-node:update\]" permission: .*User "scheduler" cannot arbitrary-node:update resource "resourceclaims\/driver".* in the namespace "ns"$/,
    )
  })

  it('are checked for the associated node if the driver runs on the node of the claim', async () => {
    const change = [{ allocation, devices: [device('a')] }, { allocation }] as const
    expect(await rights(...change, driver, ['associated-node:update driver/a in ns'])).to.deep.equal({
      asked: ['associated-node:update driver/a in ns'],
      errors: [],
    })
    const elsewhere = { allocation: onNode('n2') }
    expect((await rights({ ...elsewhere, devices: [device('a')] }, elsewhere, driver)).asked).to.deep.equal([
      'arbitrary-node:update driver/a in ns',
    ])
    expect((await rights(...change, { ...driver, name: 'driver' })).asked).to.deep.equal(['arbitrary-node:update driver/a in ns'])
  })

  it('are not checked before 1.36, without changes, or for devices of a claim that is not allocated', async () => {
    expect((await rights({ allocation }, {}, scheduler, [], '1.35')).asked).to.deep.equal([])
    expect((await rights({ allocation, devices: [device('a')] }, { allocation, devices: [device('a')] })).asked).to.deep.equal([])
    expect((await rights({}, { devices: [device('a')] })).asked).to.deep.equal([])
  })
})
