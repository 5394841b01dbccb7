import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect } from 'chai'
import { TaskQueue } from '../../../../src/cluster/shared/task-queue.ts'
import { WorkQueues } from '../../../../src/controllers/work-queues.ts'
import { systemClock } from '../../../../src/lib/clock.ts'
import { silentLogger } from '../../../../src/lib/log.ts'
import { eventually } from '../../../support/waiting.ts'

function queueOver(meters: WorkQueues, workers = 2): TaskQueue {
  return new TaskQueue({ clock: systemClock, logger: silentLogger, meters }, 'tasks', new AbortController().signal, workers)
}

describe('a queue of tasks', () => {
  it('runs the tasks of a key one after the other, and a bounded number of keys at a time', async () => {
    const queue = queueOver(new WorkQueues())
    const done: string[] = []
    const ends = new Map<string, () => void>()
    for (const name of ['a1', 'a2', 'b1', 'c1'])
      queue.run(name.slice(0, 1), async () => {
        done.push(`${name} begins`)
        await new Promise<void>(resolve => ends.set(name, resolve))
        done.push(`${name} ends`)
      })
    await eventually('two keys have begun', () => done.length === 2)
    for (let turn = 0; turn < 10; turn++) await nextTurn()
    expect([done, queue.size]).to.deep.equal([['a1 begins', 'b1 begins'], 4])
    ends.get('a1')?.()
    await eventually('the second task of the key has begun', () => done.includes('a2 begins'))
    expect(done).to.deep.equal(['a1 begins', 'b1 begins', 'a1 ends', 'a2 begins'])
    for (const name of ['a2', 'b1']) ends.get(name)?.()
    await eventually('the third key has begun', () => done.includes('c1 begins'))
    ends.get('c1')?.()
    await queue.ended()
    expect([done.length, queue.size]).to.deep.equal([8, 0])
  })

  it('runs key by key in the order of keys while its queue is held', async () => {
    const queues = new WorkQueues()
    queues.hold()
    const queue = queueOver(queues)
    const done: string[] = []
    for (const key of ['b', 'a']) queue.run(key, async () => void done.push(key))
    for (let turn = 0; turn < 10; turn++) await nextTurn()
    expect(done).to.deep.equal([])
    while (queues.workOnNext()) await queue.ended()
    expect(done).to.deep.equal(['a', 'b'])
  })
})
