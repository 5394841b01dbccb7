import { expect } from 'chai'
import type { Pod } from '../../../../src/api/core/v1.types.ts'
import type { ResourceClaim } from '../../../../src/api/resource/v1beta2.types.ts'
import {
  claimReference,
  consumerOf,
  deviceClaimKeys,
  foreignResourceClaim,
  groupClaimOf,
  isReservedFor,
} from '../../../../src/cluster/shared/device-claims.ts'
import type { PodGroupObject } from '../../../../src/cluster/shared/group-kinds.ts'
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

  it('belong to the pod if they are generated', () => {
    const rules = { release: '1.35', ofGroups: false } as const
    expect(foreignResourceClaim(pod(templated), claim({}, [OWNER]), rules)).to.equal(undefined)
    expect(foreignResourceClaim(pod(templated), claim(), rules)).to.equal(
      'ResourceClaim default/c was not created for pod default/p (pod is not owner)',
    )
    expect(foreignResourceClaim(pod(templated), claim(), { ...rules, release: '1.36' })).to.equal(
      'ResourceClaim default/c was not created for Pod default/p (Pod is not owner)',
    )
  })
})

/** Source: k8s.io/dynamic-resource-allocation/resourceclaim: TestIsReservedForPod, TestIsForPod, TestBindTo. */
describe('device claims of a group of pods', () => {
  const inGroup = (entry: never, group = 'g'): Pod =>
    podOf({ name: 'p', spec: { resourceClaims: [entry], schedulingGroup: { podGroupName: group } } })
  const ofPod = (uid = 'p') => ({ resource: 'pods', name: uid, uid })
  const ofGroup = (name = 'g') => ({ apiGroup: 'scheduling.k8s.io', resource: 'podgroups', name, uid: `uid of ${name}` })

  for (const [title, reservedFor, ofGroups, expected] of [
    ['not reserved', [], true, false],
    ['for the pod', [ofPod()], true, true],
    ['for another pod', [ofPod('other')], true, false],
    ['for several pods', [ofPod('other'), ofPod()], false, true],
    ['for the group', [ofGroup()], true, true],
    ['for the group, while the gate is off', [ofGroup()], false, false],
    ['for pod and group', [ofPod(), ofGroup()], true, true],
    ['for another group', [ofGroup('other')], true, false],
    ['for several groups', [ofGroup('other'), ofGroup()], true, true],
    ['for another kind of the same name', [{ ...ofGroup(), resource: 'workloads' }], true, false],
  ] as const)
    it(`are reserved: ${title}`, () => {
      expect(isReservedFor(claim({ reservedFor }), inGroup(named), { ofGroups })).to.equal(expected)
    })

  it('may be owned by the group, in any version', () => {
    const owned = (name: string, apiVersion = 'scheduling.k8s.io/v1beta1') =>
      claim({}, [{ apiVersion, kind: 'PodGroup', name, uid: 'g', controller: true }])
    const foreign = (one: ResourceClaim, ofGroups = true) => foreignResourceClaim(inGroup(templated), one, { release: '1.37', ofGroups })
    expect(foreign(owned('g'))).to.equal(undefined)
    expect(foreign(owned('g', 'scheduling.k8s.io/v1alpha2'))).to.equal(undefined)
    const neither = 'ResourceClaim default/c was not created for Pod default/p (neither Pod nor PodGroup g is the owner)'
    expect(foreign(owned('other'))).to.equal(neither)
    expect(foreign(owned('g', 'example.dev/v1'))).to.equal(neither)
    expect(foreign(claim())).to.equal(neither)
    expect(foreign(owned('g'), false)).to.equal('ResourceClaim default/c was not created for Pod default/p (Pod is not owner)')
  })

  const group = (...resourceClaims: object[]): PodGroupObject =>
    ({ metadata: { name: 'g', uid: 'uid of g' }, spec: { resourceClaims } }) as never

  for (const [title, entry, entries, isEqual] of [
    ['a claim by name', named, [named], true],
    ['a claim of a template', templated, [templated], true],
    ['one of several claims', named, [{ name: 'other', resourceClaimName: 'shared' }, named], true],
    ['no claim', named, [], false],
    ['another name', named, [{ name: 'other', resourceClaimName: 'shared' }], false],
    ['another claim', named, [{ name: 'gpu', resourceClaimName: 'other' }], false],
    ['another template', templated, [{ name: 'gpu', resourceClaimTemplateName: 'other' }], false],
    ['a template in place of a claim', named, [templated], false],
  ] as const)
    it(`are those that equal the pod's: ${title}`, () => {
      expect(groupClaimOf(entry, group(...entries)) !== undefined).to.equal(isEqual)
    })

  it('are reserved for the group instead of its pods', () => {
    const shared = { ...claim(), metadata: { name: 'shared', namespace: 'default' } }
    expect(consumerOf(inGroup(named), shared, group(named))).to.deep.equal(ofGroup())
    expect(consumerOf(inGroup(named), shared, group(templated))).to.deep.equal(ofPod())
    expect(consumerOf(inGroup(named), shared, undefined)).to.deep.equal(ofPod())
    expect(consumerOf(inGroup(named), claim(), group(named)), 'another claim').to.deep.equal(ofPod())
  })
})
