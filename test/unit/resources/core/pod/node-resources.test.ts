import { expect } from 'chai'
import type { Pod } from '../../../../../src/api/core/v1.types.ts'
import { fieldErrorText } from '../../../../../src/meta/field-error.ts'
import { fieldPath } from '../../../../../src/meta/field-path.ts'
import { validateNodeResources } from '../../../../../src/resources/core/pod/node-resources.ts'

const check = (...nodeAllocatableResourceClaimStatuses: object[]): string[] => {
  const pod = {
    spec: { resourceClaims: [{ name: 'a', resourceClaimName: 'named' }] },
    status: { resourceClaimStatuses: [{ name: 'b', resourceClaimName: 'made' }], nodeAllocatableResourceClaimStatuses },
  }
  return validateNodeResources(pod as unknown as Pod, fieldPath('s')).map(fieldErrorText)
}

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
})
