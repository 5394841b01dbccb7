import { expect } from 'chai'
import { failureStatus } from '../../../../src/cluster/scheduler/failure-status.ts'
import { podOf } from '../../../support/scheduling.ts'

const THEN = '2030-01-01T00:00:00Z'
const NOW = '2030-01-01T00:01:00Z'
const FAILURE = { reason: 'Unschedulable', message: 'no room' } as const
const condition = {
  type: 'PodScheduled',
  status: 'False' as const,
  ...FAILURE,
  lastProbeTime: null,
  lastTransitionTime: THEN,
}
const tracking = (isOn: boolean) => ({ enabled: () => isOn })

describe('the status of a pod that is not scheduled', () => {
  it('is written once, and its transition time is kept while the pod waits', () => {
    expect(failureStatus(podOf(), FAILURE, THEN, tracking(false))).to.deep.equal({ conditions: [condition] })
    const waiting = podOf({ status: { conditions: [condition] } })
    expect(failureStatus(waiting, FAILURE, NOW, tracking(false))).to.equal(undefined)
    const other = { ...FAILURE, message: 'no ports' }
    expect(failureStatus(waiting, other, NOW, tracking(false))).to.deep.equal({ conditions: [{ ...condition, message: 'no ports' }] })
    expect(failureStatus(waiting, { ...FAILURE, nominatedNode: 'n' }, NOW, tracking(false))).to.have.property('nominatedNodeName', 'n')
  })

  it('has the generation of the pod if generations are tracked, and is written again when it changes', () => {
    const observed = (observedGeneration: number) => ({ ...condition, observedGeneration })
    const metadata = { generation: 2 }
    const before = podOf({ metadata, status: { conditions: [observed(1)] } })
    for (const features of [tracking(true), tracking(false)])
      expect(failureStatus(before, FAILURE, NOW, features)).to.deep.equal({ conditions: [observed(2)] })
    const current = podOf({ metadata, status: { conditions: [observed(2)] } })
    expect(failureStatus(current, FAILURE, NOW, tracking(true))).to.equal(undefined)
  })
})
