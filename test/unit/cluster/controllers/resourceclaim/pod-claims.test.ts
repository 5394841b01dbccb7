import { expect } from 'chai'
import type { Pod } from '../../../../../src/api/core/v1.types.ts'
import type { ResourceClaim, ResourceClaimTemplate } from '../../../../../src/api/resource/v1beta2.types.ts'
import { claimNamePrefix, generatedClaim, isPodDone, needsWork } from '../../../../../src/cluster/controllers/resourceclaim/pod-claims.ts'
import { runAtOnce } from '../../../../../src/lib/steps.ts'
import { podOf } from '../../../../support/scheduling.ts'

const OWNER = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'p', controller: true, blockOwnerDeletion: true }
const named = { name: 'gpu', resourceClaimName: 'shared' } as never
const templated = { name: 'gpu', resourceClaimTemplateName: 't' } as never
const pod = (claim: never, statuses?: object[], spec: object = {}): Pod =>
  podOf({
    name: 'p',
    spec: { resourceClaims: [claim], ...spec },
    status: { ...(statuses && { resourceClaimStatuses: statuses as never }) },
  })
const claim = (status: object = {}, ownerReferences: object[] = []): ResourceClaim =>
  ({
    kind: 'ResourceClaim',
    apiVersion: 'resource.k8s.io/v1',
    metadata: { name: 'c', namespace: 'default', ownerReferences },
    spec: {},
    status,
  }) as never

describe('the claims of a pod for devices', () => {
  it('need work while one is missing, or is to be reserved for a pod with a node', () => {
    const made = [{ name: 'gpu', resourceClaimName: 'c' }]
    expect(needsWork(pod(templated), () => undefined)).to.equal(true)
    expect(
      needsWork(pod(templated, made), () => undefined),
      'it was deleted',
    ).to.equal(true)
    expect(needsWork(pod(named), () => undefined)).to.equal(false)
    const onNode = pod(named, undefined, { nodeName: 'n' })
    expect(needsWork(onNode, () => claim({ allocation: {} }))).to.equal(true)
    expect(needsWork(onNode, () => claim({ allocation: {}, reservedFor: [{ resource: 'pods', name: 'p', uid: 'p' }] }))).to.equal(false)
    expect(needsWork(onNode, () => claim())).to.equal(false)
    expect(
      needsWork(pod(named), () => claim({ allocation: {} })),
      'the scheduler reserves it',
    ).to.equal(false)
    expect(
      needsWork(pod(templated, made, { nodeName: 'n' }), () => claim({ allocation: {} })),
      'of another pod',
    ).to.equal(false)
  })

  it('are generated with the pod as owner and the name of the claim in an annotation', () => {
    const template = {
      spec: { metadata: { labels: { a: 'b' }, annotations: { c: 'd' } }, spec: { devices: {} } },
    } as unknown as ResourceClaimTemplate
    expect(runAtOnce(generatedClaim(pod(templated), templated, template, 'resource.k8s.io/v1'))).to.deep.equal({
      kind: 'ResourceClaim',
      apiVersion: 'resource.k8s.io/v1',
      metadata: {
        generateName: 'p-gpu-',
        namespace: 'default',
        annotations: { c: 'd', 'resource.kubernetes.io/pod-claim-name': 'gpu' },
        labels: { a: 'b' },
        ownerReferences: [OWNER],
      },
      spec: { devices: {} },
      status: {},
    })
  })

  it('have names in which long names of pod and claim are both cut', () => {
    expect(claimNamePrefix('pod', 'claim')).to.equal('pod-claim-')
    const long = claimNamePrefix('p'.repeat(60), 'c'.repeat(40))
    expect(long).to.equal(`${'p'.repeat(33)}-${'c'.repeat(22)}`)
  })

  it('are no longer used by pods that have ended or never started', () => {
    expect(isPodDone(podOf({ status: { phase: 'Failed' } }))).to.equal(true)
    expect(isPodDone(podOf({ metadata: { deletionTimestamp: 'x' } }))).to.equal(true)
    expect(isPodDone(podOf({ metadata: { deletionTimestamp: 'x' }, spec: { nodeName: 'n' } }))).to.equal(false)
  })
})
