import { expect } from 'chai'
import type { Pod } from '../../../../../src/api/core/v1.types.ts'
import type { ResourceClaim, ResourceClaimTemplate } from '../../../../../src/api/resource/v1beta2.types.ts'
import {
  claimNamePrefix,
  GROUP_CLAIM_NAME,
  generatedClaim,
  groupNeedsWork,
  isPodDone,
  needsWork,
  POD_CLAIM_NAME,
} from '../../../../../src/cluster/controllers/resourceclaim/pod-claims.ts'
import type { ClaimRules } from '../../../../../src/cluster/shared/device-claims.ts'
import { type PodGroupObject, podGroupKindOf } from '../../../../../src/cluster/shared/group-kinds.ts'
import { PODS } from '../../../../../src/cluster/shared/kinds.ts'
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
const RULES: ClaimRules = { release: '1.37', ofGroups: true }
const needsWorkOf = (one: Pod, claimOf: () => ResourceClaim | undefined): boolean => needsWork(one, claimOf, RULES)
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
    expect(needsWorkOf(pod(templated), () => undefined)).to.equal(true)
    expect(
      needsWorkOf(pod(templated, made), () => undefined),
      'it was deleted',
    ).to.equal(true)
    expect(needsWorkOf(pod(named), () => undefined)).to.equal(false)
    const onNode = pod(named, undefined, { nodeName: 'n' })
    expect(needsWorkOf(onNode, () => claim({ allocation: {} }))).to.equal(true)
    expect(needsWorkOf(onNode, () => claim({ allocation: {}, reservedFor: [{ resource: 'pods', name: 'p', uid: 'p' }] }))).to.equal(false)
    expect(needsWorkOf(onNode, () => claim())).to.equal(false)
    expect(
      needsWorkOf(pod(named), () => claim({ allocation: {} })),
      'the scheduler reserves it',
    ).to.equal(false)
    expect(
      needsWorkOf(pod(templated, made, { nodeName: 'n' }), () => claim({ allocation: {} })),
      'of another pod',
    ).to.equal(false)
  })

  it('are generated with the pod as owner and the name of the claim in an annotation', () => {
    const template = {
      spec: { metadata: { labels: { a: 'b' }, annotations: { c: 'd' } }, spec: { devices: {} } },
    } as unknown as ResourceClaimTemplate
    expect(
      runAtOnce(
        generatedClaim({ kind: PODS, object: pod(templated), annotation: POD_CLAIM_NAME }, templated, template, 'resource.k8s.io/v1'),
      ),
    ).to.deep.equal({
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

describe('the claims of a group of pods for devices', () => {
  const kind = podGroupKindOf({ release: '1.37', enabled: () => true })
  if (kind === undefined) throw new Error('1.37 has groups')
  const group = (status: object = {}, metadata: object = {}): PodGroupObject =>
    ({
      kind: 'PodGroup',
      apiVersion: 'scheduling.k8s.io/v1beta1',
      metadata: { name: 'g', uid: 'g', namespace: 'default', ...metadata },
      spec: { resourceClaims: [templated, { name: 'own', resourceClaimName: 'shared' }] },
      status,
    }) as never

  it('need work while one that is made of a template is missing', () => {
    const made = { resourceClaimStatuses: [{ name: 'gpu', resourceClaimName: 'c' }] }
    expect(groupNeedsWork(group(), () => claim())).to.equal(true)
    expect(groupNeedsWork(group(made), () => claim())).to.equal(false)
    const asked: string[] = []
    expect(groupNeedsWork(group(made), key => void asked.push(key))).to.equal(true)
    expect(asked).to.deep.equal(['default/c'])
    expect(groupNeedsWork(group({}, { deletionTimestamp: 'x' }), () => undefined)).to.equal(false)
  })

  it('are generated with the group as owner', () => {
    const template = { spec: { spec: { devices: {} } } } as unknown as ResourceClaimTemplate
    const { metadata } = runAtOnce(
      generatedClaim({ kind, object: group(), annotation: GROUP_CLAIM_NAME }, templated, template, 'resource.k8s.io/v1'),
    )
    expect(metadata).to.deep.equal({
      generateName: 'g-gpu-',
      namespace: 'default',
      annotations: { 'resource.kubernetes.io/podgroup-claim-name': 'gpu' },
      ownerReferences: [{ ...OWNER, apiVersion: 'scheduling.k8s.io/v1beta1', kind: 'PodGroup', name: 'g', uid: 'g' }],
    })
  })

  it('are reserved for a pod with a node unless they are for its group', () => {
    const onNode = podOf({ name: 'p', spec: { resourceClaims: [named], nodeName: 'n', schedulingGroup: { podGroupName: 'g' } } })
    const reservedFor = [{ apiGroup: 'scheduling.k8s.io', resource: 'podgroups', name: 'g', uid: 'g' }]
    expect(needsWorkOf(onNode, () => claim({ allocation: {} }))).to.equal(true)
    expect(needsWorkOf(onNode, () => claim({ allocation: {}, reservedFor }))).to.equal(false)
  })
})
