import { expect } from 'chai'
import type { Pod } from '../../../../../src/api/core/v1.types.ts'
import type { AllocationResult, ResourceClaim } from '../../../../../src/api/resource/v1beta2.types.ts'
import { ClaimAllocations } from '../../../../../src/cluster/scheduler/devices/claim-allocations.ts'
import { deviceClaimOf } from '../../../../support/device-objects.ts'
import { objectsOf, podOf } from '../../../../support/scheduling.ts'

const claim = deviceClaimOf('c', [])
const allocation = { devices: { results: [{ request: 'r', driver: 'd', pool: 'a', device: '1' }] } } as AllocationResult
const allocated: ResourceClaim = { ...claim, status: { allocation } }
const member = (name: string, group = 'g'): Pod => podOf({ name, spec: { schedulingGroup: { podGroupName: group } } })
const version = (one: ResourceClaim, resourceVersion: string): ResourceClaim => ({
  ...one,
  metadata: { ...one.metadata, resourceVersion },
})

/** Source: TestGetPendingAllocation, TestMaybeRemoveClaimPendingAllocation of plugins/dynamicresources/dra_manager_test.go. */
describe('the allocation of a claim that is not written yet', () => {
  it('is shared by the pods of a group, and by no others', () => {
    const allocations = new ClaimAllocations()
    expect(allocations.sharedWith(member('b'), claim)).to.equal(undefined)
    allocations.begin(allocated, member('a'))
    expect(allocations.isPending(claim)).to.equal(true)
    expect(allocations.sharedWith(member('b'), claim)).to.equal(allocation)
    expect(allocations.sharedWith(member('b', 'other'), claim)).to.equal(undefined)
    expect(allocations.sharedWith(podOf({ name: 'b' }), claim)).to.equal(undefined)
    expect(allocations.sharedWith(member('b'), deviceClaimOf('other', []))).to.equal(undefined)
  })

  it('is not shared by pods without a group', () => {
    const allocations = new ClaimAllocations()
    allocations.begin(allocated, podOf({ name: 'a' }))
    expect(allocations.sharedWith(podOf({ name: 'b' }), claim)).to.equal(undefined)
  })

  it('counts once, until the last pod ends it', () => {
    const allocations = new ClaimAllocations()
    const devices = (): readonly string[] => [...allocations.allocatedDevices(objectsOf([claim])).exclusive]
    allocations.begin(allocated, member('a'))
    allocations.begin(allocated, member('b'))
    expect(devices()).to.have.length(1)
    allocations.end(claim, member('a'))
    allocations.end(claim, member('a'))
    expect(devices()).to.have.length(1)
    allocations.end(claim, member('b'))
    expect(devices()).to.deep.equal([])
    expect(allocations.isPending(claim)).to.equal(false)
  })

  it('is written by one pod after the other, each with what the one before it has written', async () => {
    const allocations = new ClaimAllocations()
    for (const name of ['a', 'b', 'c']) allocations.begin(allocated, member(name))
    const steps: string[] = []
    const write = (name: string, result: string | Error) =>
      allocations.write(claim, async written => {
        steps.push(`${name} begins after ${written?.metadata.resourceVersion}`)
        await Promise.resolve()
        steps.push(`${name} ends`)
        if (typeof result !== 'string') throw result
        return version(allocated, result)
      })
    const results = await Promise.allSettled([write('a', new Error('gone')), write('b', '2'), write('c', '3')])
    expect(results.map(({ status }) => status)).to.deep.equal(['rejected', 'fulfilled', 'fulfilled'])
    expect(steps).to.deep.equal(['a begins after undefined', 'a ends', 'b begins after undefined', 'b ends', 'c begins after 2', 'c ends'])
    expect(allocations.latest(claim).metadata.resourceVersion).to.equal('3')
  })
})
