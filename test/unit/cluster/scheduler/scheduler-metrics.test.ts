import { expect } from 'chai'
import { type QueueObserver, SchedulingQueue } from '../../../../src/cluster/scheduler/queue.ts'
import { SchedulerMetrics } from '../../../../src/cluster/scheduler/scheduler-metrics.ts'
import { podOf } from '../../../support/scheduling.ts'

const samplesOf = (metrics: SchedulerMetrics, name: string): [Record<string, string>, number][] =>
  metrics
    .families()
    .filter(family => family.name === name)
    .flatMap(family => [...family.samples()].map(({ labels, value }): [Record<string, string>, number] => [{ ...labels }, value]))

describe('metrics of the scheduler', () => {
  it("have upstream's names", () => {
    const names = new SchedulerMetrics().families().map(({ name }) => name)
    expect(names).to.include.members([
      'scheduler_schedule_attempts_total',
      'scheduler_pending_pods',
      'scheduler_unschedulable_pods',
      'scheduler_cache_size',
    ])
    expect(names.every(name => name.startsWith('scheduler_'))).to.equal(true)
  })

  it('read the lengths of queues when they are scraped', () => {
    const metrics = new SchedulerMetrics()
    expect(samplesOf(metrics, 'scheduler_pending_pods')).to.deep.equal([])
    metrics.follow({
      pending: () => ({ active: 1, backoff: 2, unschedulable: 3, gated: 4 }),
      cache: () => ({ nodes: 5, pods: 6, assumed_pods: 0 }),
    })
    expect(samplesOf(metrics, 'scheduler_pending_pods')).to.deep.equal([
      [{ queue: 'active' }, 1],
      [{ queue: 'backoff' }, 2],
      [{ queue: 'unschedulable' }, 3],
      [{ queue: 'gated' }, 4],
    ])
    expect(samplesOf(metrics, 'scheduler_cache_size')[1]).to.deep.equal([{ type: 'pods' }, 6])
  })

  it('count why pods enter each queue, and which plugins reject pods that wait', () => {
    const seen: string[] = []
    const observer: QueueObserver = {
      entered: (event, queue) => seen.push(`${event} ${queue}`),
      rejected: (_pod, plugins, change) => seen.push(`${[...plugins]} ${change}`),
    }
    const clock = { time: 0, now: () => clock.time }
    const queue = new SchedulingQueue(clock, { firstMs: 1000, longestMs: 10_000 }, observer)
    queue.put(podOf(), false)
    const fail = (...plugins: string[]): void => {
      const queued = queue.take()
      if (queued) queue.fail(queued, new Set(plugins))
    }
    fail('NodeResourcesFit')
    queue.react('assigned pod deleted')
    expect(queue.lengths).to.deep.equal({ active: 0, backoff: 1, unschedulable: 0 })
    clock.time = 1000
    fail('NodeName')
    expect(queue.lengths).to.deep.equal({ active: 0, backoff: 0, unschedulable: 1 })
    clock.time = 400_000
    fail()
    queue.delete(podOf())
    expect(seen).to.deep.equal([
      'UnschedulablePodAdd active',
      'ScheduleAttemptFailure unschedulable',
      'NodeResourcesFit 1',
      'AssignedPodDelete backoff',
      'BackoffComplete active',
      'NodeResourcesFit -1',
      'ScheduleAttemptFailure unschedulable',
      'NodeName 1',
      'UnschedulableTimeout active',
      'NodeName -1',
      'ScheduleAttemptFailure backoff',
    ])
  })

  it('count a pod whose back-off ends early', () => {
    const seen: string[] = []
    const observer: QueueObserver = { entered: (event, queue) => seen.push(`${event} ${queue}`), rejected: () => {} }
    const queue = new SchedulingQueue({ now: () => 0 }, { firstMs: 1000, longestMs: 10_000, endsEarly: true }, observer)
    queue.put(podOf(), false)
    const queued = queue.take()
    if (queued) queue.fail(queued, new Set(['NodeName']))
    queue.react('node added')
    expect(queue.take()).to.equal(queued)
    expect(seen.slice(-2)).to.deep.equal(['NodeAdd backoff', 'PopFromBackoffQ active'])
  })
})
