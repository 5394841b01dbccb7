import { expect } from 'chai'
import type { ResourceClaim } from '../../../../../src/api/resource/v1beta2.types.ts'
import { releasedClaim, unprotectedClaim } from '../../../../../src/cluster/controllers/resourceclaim/cleanup.ts'

const FINALIZER = 'resource.kubernetes.io/delete-protection'
const consumer = (uid: string) => ({ resource: 'pods', name: uid, uid })
const claim = (status: object, metadata: object = { finalizers: [FINALIZER] }): ResourceClaim =>
  ({ kind: 'ResourceClaim', apiVersion: 'resource.k8s.io/v1', metadata: { name: 'c', ...metadata }, spec: {}, status }) as never

describe('an allocated claim', () => {
  it('loses consumers that are gone, and its allocation with the last one', () => {
    const used = claim({ allocation: {}, reservedFor: [consumer('a'), consumer('b')] })
    expect(releasedClaim(used, [consumer('a'), consumer('b')])).to.equal(undefined)
    expect(releasedClaim(used, [consumer('b')])?.status).to.deep.equal({ allocation: {}, reservedFor: [consumer('b')] })
    expect(releasedClaim(used, [])?.status).to.deep.equal({})
  })

  it('keeps an allocation that nothing has used, until it is deleted', () => {
    expect(releasedClaim(claim({ allocation: {} }), [])).to.equal(undefined)
    const deleted = claim({ allocation: {} }, { finalizers: [FINALIZER], deletionTimestamp: 'x' })
    expect(releasedClaim(deleted, [])?.status).to.deep.equal({})
    expect(releasedClaim(claim({ allocation: {}, reservedFor: [consumer('a')] }, {}), [])?.status, 'of another allocator').to.deep.equal({
      allocation: {},
    })
  })

  it('is free to go when it has neither', () => {
    expect(unprotectedClaim(claim({}), true)?.metadata.finalizers).to.deep.equal([])
    expect(unprotectedClaim(claim({}), false)).to.equal(undefined)
    expect(unprotectedClaim(claim({}, { finalizers: [FINALIZER], deletionTimestamp: 'x' }), false)?.metadata.finalizers).to.deep.equal([])
    expect(unprotectedClaim(claim({ allocation: {} }), true)).to.equal(undefined)
  })
})
