import { expect } from 'chai'
import type { Pod } from '../../../../../src/api/core/v1.types.ts'
import { finishedAt, NO_FAILURES, nextBackoff, remainingBackoff } from '../../../../../src/cluster/controllers/job/backoff.ts'
import { formatTime } from '../../../../../src/meta/time.ts'
import { podOf } from '../../../../support/job-passes.ts'

/** A pod whose container ended at a second. */
function ended(second: number): Pod {
  const pod = podOf({ phase: 'Failed', exitCode: 1 })
  for (const { state } of pod.status.containerStatuses ?? []) if (state.terminated) state.terminated.finishedAt = formatTime(second * 1000)
  return pod
}

describe('back-off of jobs', () => {
  const delays: [number, number][] = [
    [0, 0],
    [1, 10],
    [2, 20],
    [6, 320],
    [7, 600],
    [5000, 600],
  ]
  for (const [failures, seconds] of delays)
    it(`waits ${seconds} s after ${failures} failures`, () =>
      expect(remainingBackoff({ failures, lastFailure: 5 }, 5)).to.equal(seconds * 1000))

  it('counts the time since the last failure', () => {
    expect(remainingBackoff({ failures: 1, lastFailure: 0 }, 4000)).to.equal(6000)
    expect(remainingBackoff({ failures: 1, lastFailure: 0 }, 11_000)).to.equal(0)
  })

  it('adds failures until a pod succeeds', () => {
    const two = nextBackoff({ failures: 1, lastFailure: 1000 }, [], [ended(5), ended(3)], true)
    expect(two).to.deep.equal({ failures: 3, lastFailure: 5000 })
    expect(nextBackoff(two, [ended(9)], [], true)).to.deep.equal(NO_FAILURES)
    expect(nextBackoff(two, [ended(9)], [ended(8), ended(11)], true)).to.deep.equal({ failures: 1, lastFailure: 11_000 })
    expect(nextBackoff(two, [], [], true)).to.equal(two)
  })

  it('takes the end of a pod from its containers, its readiness, its deletion or its creation', () => {
    const pod = podOf({ phase: 'Failed' })
    pod.metadata.creationTimestamp = formatTime(1000)
    expect(finishedAt(pod, true)).to.equal(1000)
    pod.metadata.deletionTimestamp = formatTime(40_000)
    pod.metadata.deletionGracePeriodSeconds = 30
    expect(finishedAt(pod, true)).to.equal(10_000)
    pod.status.conditions = [{ type: 'Ready', status: 'False', lastProbeTime: null, lastTransitionTime: formatTime(9000) }]
    expect(finishedAt(pod, true)).to.equal(9000)
    pod.status.containerStatuses = ended(7).status.containerStatuses ?? []
    expect(finishedAt(pod, true)).to.equal(7000)
  })

  it('waits for sidecar containers if the release has them', () => {
    const pod = ended(7)
    pod.spec.initContainers = [
      { ...(pod.spec.containers?.[0] ?? { name: '', image: '', resources: {} }), name: 's', restartPolicy: 'Always' },
    ]
    pod.status.initContainerStatuses = (ended(12).status.containerStatuses ?? []).map(status => ({ ...status, name: 's' }))
    expect([finishedAt(pod, true), finishedAt(pod, false)]).to.deep.equal([12_000, 7000])
  })
})
