import { expect } from 'chai'
import type { Pod } from '../../../../../src/api/core/v1.types.ts'
import { excessTerminated, isUnscheduledTerminating, nodeGoneCondition } from '../../../../../src/cluster/controllers/podgc/collect.ts'

const pod = (name: string, phase: string, day = 1, status: object = {}, spec: object = {}, metadata: object = {}): Pod => {
  const made: unknown = {
    metadata: { name, creationTimestamp: `2026-01-0${day}T00:00:00Z`, ...metadata },
    spec,
    status: { phase, ...status },
  }
  return made as Pod
}

describe('pods that are garbage', () => {
  const pods = [
    pod('new', 'Succeeded', 3),
    pod('old', 'Failed', 1),
    pod('evicted', 'Failed', 4, { reason: 'Evicted' }),
    pod('run', 'Running', 1),
    pod('a', 'Succeeded', 2),
    pod('b', 'Failed', 2),
  ]
  const excess = (threshold: number): (string | undefined)[] => excessTerminated(pods, threshold).map(({ metadata }) => metadata.name)

  it('are the evicted and the oldest ones beyond the number that is kept', () => {
    expect(excess(5)).to.deep.equal([])
    expect(excess(3)).to.deep.equal(['evicted', 'old'])
    expect(excess(0)).to.deep.equal(['evicted', 'old', 'a', 'b', 'new'])
  })

  it('include deleted pods that never had a node', () => {
    const deleted = { deletionTimestamp: '2026-01-01T00:00:00Z' }
    expect(isUnscheduledTerminating(pod('p', 'Pending', 1, {}, {}, deleted))).to.equal(true)
    expect(isUnscheduledTerminating(pod('p', 'Pending', 1, {}, { nodeName: 'n' }, deleted))).to.equal(false)
    expect(isUnscheduledTerminating(pod('p', 'Pending'))).to.equal(false)
  })

  it('get a condition if their node is gone', () => {
    expect(nodeGoneCondition(0)).to.include({
      type: 'DisruptionTarget',
      status: 'True',
      reason: 'DeletionByPodGC',
      message: 'PodGC: node no longer exists',
    })
  })
})
