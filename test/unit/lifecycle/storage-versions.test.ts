import { expect } from 'chai'
import type { Release } from '../../../src/lifecycle/release.ts'
import { storageVersionIn } from '../../../src/lifecycle/storage-versions.ts'

const POLICIES = { group: 'admissionregistration.k8s.io', resource: 'mutatingadmissionpolicies', kind: 'MutatingAdmissionPolicy' }
const CLAIMS = { group: 'resource.k8s.io', resource: 'resourceclaims', kind: 'ResourceClaim' }
const SCALERS = { group: 'autoscaling', resource: 'horizontalpodautoscalers', kind: 'HorizontalPodAutoscaler' }
const BUNDLES = { group: 'certificates.k8s.io', resource: 'clustertrustbundles', kind: 'ClusterTrustBundle' }

describe('storage versions', () => {
  it('are readable in the oldest release that has to read the store, since 1.37', () => {
    const stored = (kind: typeof CLAIMS): (string | undefined)[] =>
      (['1.34', '1.35', '1.36', '1.37'] as const).map(oldest => storageVersionIn('1.37', kind, oldest))
    expect(stored(POLICIES)).to.deep.equal(['v1beta1', 'v1beta1', 'v1', 'v1'])
    expect(stored(CLAIMS)).to.deep.equal(['v1', 'v1', 'v1', 'v1'])
    expect(stored(SCALERS)).to.deep.equal(['v2', 'v2', 'v2', 'v2'])
  })

  it('may be set by hand', () => {
    for (const oldest of ['1.34', '1.37'] as const) expect(storageVersionIn('1.37', BUNDLES, oldest)).to.equal('v1beta1')
  })

  it('do not depend on that release before 1.37', () => {
    const stored = (oldest: Release): string | undefined => storageVersionIn('1.36', POLICIES, oldest)
    expect([stored('1.33'), stored('1.36')]).to.deep.equal(['v1beta1', 'v1beta1'])
  })

  it('are the same for all releases in which a kind has one', () =>
    expect(storageVersionIn('1.37', { group: '', resource: 'pods', kind: 'Pod' })).to.equal(undefined))
})
