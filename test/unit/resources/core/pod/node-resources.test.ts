import { expect } from 'chai'
import type { Pod } from '../../../../../src/api/core/v1.types.ts'
import type { Release } from '../../../../../src/lifecycle/release.ts'
import { fieldErrorText } from '../../../../../src/meta/field-error.ts'
import { fieldPath } from '../../../../../src/meta/field-path.ts'
import { validateNodeResources } from '../../../../../src/resources/core/pod/node-resources.ts'

const checkIn = (release: Release, nodeAllocatableResourceClaimStatuses: readonly object[]): string[] => {
  const pod = {
    spec: { resourceClaims: [{ name: 'a', resourceClaimName: 'named' }] },
    status: {
      resourceClaimStatuses: [{ name: 'b', resourceClaimName: 'made' }],
      extendedResourceClaimStatus: { resourceClaimName: 'extended' },
      nodeAllocatableResourceClaimStatuses,
    },
  }
  return validateNodeResources(pod as unknown as Pod, release, fieldPath('s')).map(fieldErrorText)
}

const check = (...statuses: object[]): string[] => checkIn('1.36', statuses)

describe('node resources of claims in the status of a pod', () => {
  it('belong to claims that the pod names or owns', () => {
    const taken = { containers: ['c'], resources: { cpu: '1' } }
    expect(check({ resourceClaimName: 'named', ...taken }, { resourceClaimName: 'made', ...taken })).to.deep.equal([])
    expect(check({ resourceClaimName: 'other', ...taken })).to.deep.equal([
      's[0].resourceClaimName: Invalid value: "other": no mapping found in pod reference',
    ])
  })

  it('require containers and valid amounts', () =>
    expect(
      check(
        { resourceClaimName: 'made', resources: {} },
        { resourceClaimName: 'made', containers: ['c'], resources: { 'a.io/x': '1', cpu: '-1' } },
      ),
    ).to.deep.equal([
      's[0].containers: Required value: must not be empty',
      's[0].resources: Required value: must not be empty',
      's[1].resources[a.io/x]: Invalid value: "a.io/x": must be a node allocatable resource name',
      's[1].resources[cpu]: Invalid value: "-1": must be non-negative',
    ]))

  it('are mapped amounts and overheads of claims from 1.37 on, perhaps without containers', () => {
    const mapping = [{ name: 'cpu', quantity: '1' }]
    expect(
      checkIn('1.37', [
        { resourceClaimName: 'made', mapping },
        { resourceClaimName: 'extended', mapping },
      ]),
    ).to.deep.equal([])
    expect(check({ resourceClaimName: 'extended', containers: ['c'], resources: { cpu: '1' } })).to.have.length(1)
    expect(
      checkIn('1.37', [
        {
          resourceClaimName: 'made',
          mapping: [{ name: 'a.io/x', quantity: '-1' }],
          overhead: [{ name: 'a.io/y', perPod: '-1', perContainer: '-2' }],
        },
      ]),
    ).to.deep.equal([
      's[0].mapping[0].name: Invalid value: "a.io/x": must be a node allocatable resource name',
      's[0].mapping[0].quantity: Invalid value: "-1": must be non-negative',
      's[0].overhead[0].name: Invalid value: "a.io/y": must be a node allocatable resource name',
      's[0].overhead[0].perPod: Invalid value: "-1": must be non-negative',
      's[0].overhead[0].perContainer: Invalid value: "-2": must be non-negative',
    ])
  })
})
