import { expect } from 'chai'
import { ephemeralClaim, hasEphemeralVolume } from '../../../../../src/cluster/controllers/ephemeralvolume/claims.ts'
import { podOf } from '../../../../support/scheduling.ts'

const spec = { accessModes: ['ReadWriteOnce' as const], resources: { requests: { storage: '1Gi' } } }
const volume = { name: 'scratch', ephemeral: { volumeClaimTemplate: { metadata: { labels: { a: 'b' }, annotations: { c: 'd' } }, spec } } }

describe('the claim of an ephemeral volume', () => {
  it('is made of the template, and belongs to the pod', () => {
    expect(ephemeralClaim(podOf({ name: 'p' }), volume)).to.deep.equal({
      kind: 'PersistentVolumeClaim',
      apiVersion: 'v1',
      metadata: {
        name: 'p-scratch',
        namespace: 'default',
        labels: { a: 'b' },
        annotations: { c: 'd' },
        ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'p', controller: true, blockOwnerDeletion: true }],
      },
      spec,
      status: {},
    })
  })

  it('exists for ephemeral volumes only', () => {
    expect(ephemeralClaim(podOf(), { name: 'x', emptyDir: {} })).to.equal(undefined)
    expect(hasEphemeralVolume(podOf())).to.equal(false)
    expect(hasEphemeralVolume(podOf({ spec: { volumes: [volume] } }))).to.equal(true)
  })
})
