import { expect } from 'chai'
import { type BackOff, SchedulingQueue } from '../../../../src/cluster/scheduler/queue.ts'
import { podOf } from '../../../support/scheduling.ts'

function queueWith(backOff?: BackOff) {
  const clock = { time: 0, now: () => clock.time }
  const queue = new SchedulingQueue(clock, backOff)
  const put = (name: string, priority = 0): void => queue.put(podOf({ name, spec: { priority, containers: [] } }), false)
  const take = (): string | undefined => queue.take()?.pod.metadata.name
  return { clock, queue, put, take }
}

describe('the scheduling queue', () => {
  it('takes pods by priority, and equal ones as they came', () => {
    const { clock, put, take } = queueWith()
    put('old')
    clock.time = 1
    put('young')
    put('urgent', 10)
    expect([take(), take(), take(), take()]).to.deep.equal(['urgent', 'old', 'young', undefined])
  })

  it('tries a pod again when an event can help the plugins that rejected it, not before its back-off has passed', () => {
    const { clock, queue, put, take } = queueWith()
    put('p')
    const fail = (plugin: string): void => {
      const queued = queue.take()
      if (queued) queue.fail(queued, new Set([plugin]))
    }
    fail('NodeAffinity')
    queue.react('assigned pod deleted')
    clock.time = 2000
    expect([take(), queue.unschedulable]).to.deep.equal([undefined, 1])
    queue.react('node labels')
    fail('NodeAffinity')
    queue.react('node labels')
    expect([take(), queue.untilNext()]).to.deep.equal([undefined, 2000])
    clock.time = 4000
    expect(take()).to.equal('p')
  })

  it('tries a pod again if an event came during the attempt, and after an error', () => {
    const { clock, queue, put, take } = queueWith()
    put('p')
    const queued = queue.take()
    queue.react('node added')
    if (queued) queue.fail(queued, new Set(['NodeResourcesFit']))
    clock.time = 1000
    const again = queue.take()
    if (again) queue.fail(again, new Set())
    expect([again?.attempts, queue.untilNext(), take()]).to.deep.equal([2, 2000, undefined])
  })

  it('ends the back-off of a rejected pod early if no other pod is to be tried and the release does, but not after an error', () => {
    const { clock, queue, put, take } = queueWith({ firstMs: 1500, longestMs: 10_000, endsEarly: true })
    for (const [name, priority] of [
      ['failed', 20],
      ['low', 0],
      ['high', 10],
    ] as const)
      put(name, priority)
    for (let queued = queue.take(); queued; queued = queue.take())
      queue.fail(queued, new Set(queued.pod.metadata.name === 'failed' ? [] : ['NodeAffinity']))
    clock.time = 100
    queue.react('node labels')
    expect(queue.lengths).to.deep.equal({ active: 0, backoff: 3, unschedulable: 0 })
    put('new')
    expect([take(), take(), take(), take()]).to.deep.equal(['new', 'high', 'low', undefined])
    expect(queue.untilNext()).to.equal(1400)
  })

  it('tries every pod after five minutes, and forgets deleted ones', () => {
    const { clock, queue, put, take } = queueWith()
    put('p')
    put('q')
    for (let queued = queue.take(); queued; queued = queue.take()) queue.fail(queued, new Set(['NodeName']))
    queue.delete(podOf({ name: 'q' }))
    clock.time = 300_000
    expect([take(), take()]).to.deep.equal(['p', undefined])
  })

  it('leaves a pod alone if the event does not help any plugin that rejected it', () => {
    const { clock, queue, put, take } = queueWith()
    put('p')
    const queued = queue.take()
    if (queued) queue.fail(queued, new Set(['InterPodAffinity', 'NodeName']))
    clock.time = 2000
    const asked: string[] = []
    const helps = (isHelped: boolean) => (_pod: unknown, plugin: string) => {
      asked.push(plugin)
      return isHelped
    }
    queue.react('assigned pod added', helps(false))
    expect([take(), asked]).to.deep.equal([undefined, ['InterPodAffinity']])
    queue.react('assigned pod added', helps(true))
    expect(take()).to.equal('p')
  })

  it('tries a pod that was changed', () => {
    const { clock, queue, put, take } = queueWith()
    put('p')
    const queued = queue.take()
    if (queued) queue.fail(queued, new Set(['NodeAffinity']))
    clock.time = 1000
    queue.put(podOf({ name: 'p', labels: { a: 'b' } }), true)
    expect(take()).to.equal('p')
  })

  it('does not try a pod that is held, and tries it once it is released if an event has come', () => {
    const { clock, queue, put, take } = queueWith()
    put('p')
    const pod = podOf({ name: 'p' })
    const fail = (): void => {
      const queued = queue.take()
      queue.hold(pod)
      if (queued) queue.fail(queued, new Set(['NodeResourcesFit']))
      clock.time += 10_000
    }
    fail()
    queue.react('assigned pod deleted')
    expect(take()).to.equal(undefined)
    queue.release(pod, false)
    fail()
    queue.release(pod, false)
    expect([take(), queue.unschedulable]).to.deep.equal([undefined, 1])
    queue.hold(pod)
    queue.release(pod, true)
    expect(take()).to.equal('p')
  })

  it('tries only the pods again that an event concerns', () => {
    const { clock, queue } = queueWith()
    const pods = [podOf({ name: 'a' }), podOf({ name: 'b' })]
    for (const pod of pods) queue.put(pod, false)
    for (let queued = queue.take(); queued; queued = queue.take()) queue.fail(queued, new Set(['VolumeBinding']))
    queue.reactFor('claim', pods.slice(1))
    queue.reactFor('node taints', pods)
    expect(queue.unschedulable).to.equal(1)
    clock.time = 1000
    const again = queue.take()
    expect(again?.pod.metadata.name).to.equal('b')
    queue.reactFor('claim', pods.slice(1))
    if (again) queue.fail(again, new Set(['VolumeBinding']))
    expect(queue.unschedulable, 'the event came during the attempt').to.equal(1)
  })
})
