import { expect } from 'chai'
import type { Pod } from '../../../../src/api/core/v1.types.ts'
import type { ResourceClaim } from '../../../../src/api/resource/v1beta2.types.ts'
import { claimReference, deviceClaimKeys, foreignResourceClaim, isReservedFor } from '../../../../src/cluster/shared/device-claims.ts'
import { podOf } from '../../../support/scheduling.ts'

const OWNER = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'p', controller: true, blockOwnerDeletion: true }
const named = { name: 'gpu', resourceClaimName: 'shared' } as never
const templated = { name: 'gpu', resourceClaimTemplateName: 't' } as never
const pod = (claim: never, statuses?: object[]): Pod =>
  podOf({ name: 'p', spec: { resourceClaims: [claim] }, status: { ...(statuses && { resourceClaimStatuses: statuses as never }) } })
const claim = (status: object = {}, ownerReferences: object[] = []): ResourceClaim =>
  ({
    kind: 'ResourceClaim',
    apiVersion: 'resource.k8s.io/v1',
    metadata: { name: 'c', namespace: 'default', ownerReferences },
    spec: {},
    status,
  }) as never

describe('device claims of a pod', () => {
  it('have a name, or are made of a template', () => {
    expect(claimReference(pod(named), named)).to.deep.equal({ name: 'shared', isGenerated: false, isMissing: false })
    expect(claimReference(pod(templated), templated)).to.deep.equal({ name: undefined, isGenerated: true, isMissing: true })
    const made = [{ name: 'gpu', resourceClaimName: 'p-gpu-x' }]
    expect(claimReference(pod(templated, made), templated)).to.deep.equal({ name: 'p-gpu-x', isGenerated: true, isMissing: false })
    expect(claimReference(pod(templated, [{ name: 'gpu' }]), templated), 'no claim is needed').to.include({
      name: undefined,
      isMissing: false,
    })
  })

  it('have keys once they have names', () => {
    expect(deviceClaimKeys(pod(named))).to.deep.equal(['default/shared'])
    expect(deviceClaimKeys(pod(templated))).to.deep.equal([])
  })

  it('are reserved for the pod by its uid, and belong to it if they are generated', () => {
    expect(isReservedFor(claim({ reservedFor: [{ resource: 'pods', name: 'p', uid: 'p' }] }), pod(named))).to.equal(true)
    expect(isReservedFor(claim({ reservedFor: [{ resource: 'pods', name: 'p', uid: 'other' }] }), pod(named))).to.equal(false)
    expect(foreignResourceClaim(pod(templated), claim({}, [OWNER]))).to.equal(undefined)
    expect(foreignResourceClaim(pod(templated), claim())).to.equal(
      'ResourceClaim default/c was not created for pod default/p (pod is not owner)',
    )
  })
})
