import { expect } from 'chai'
import { TurnBudget } from '../../../../src/protocols/http2/turn-budget.ts'
import { RequestQueue } from '../../../../src/protocols/http2-builtin/request-queue.ts'
import { eventually, turns } from '../../../support/waiting.ts'

const port = new TurnBudget()

const work = (): void => {
  for (const until = performance.now() + 0.5; performance.now() < until; );
}

/** Adds requests that take half a millisecond each. */
function storm(requests: RequestQueue, name: string, count: number, log: string[]): void {
  for (let i = 0; i < count; i++) {
    const serve = (): void => {
      log.push(`${name}${i}`)
      work()
    }
    requests.add({ isOver: () => false, serve })
  }
}

describe('requests that Node delivers in one callback', () => {
  it('are served in order, over several turns', async () => {
    const log: string[] = []
    storm(new RequestQueue(port), 'a', 100, log)
    expect(log.length).to.be.below(50)
    await eventually('all are served', () => log.length >= 100)
    expect(log).to.deep.equal(Array.from({ length: 100 }, (_, i) => `a${i}`))
  })

  it('are served round-robin with those of other connections', async () => {
    const log: string[] = []
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']) storm(new RequestQueue(port), name, 100, log)
    storm(new RequestQueue(port), 'z', 1, log)
    await eventually('all are served', () => log.length >= 801)
    expect(log.indexOf('z0')).to.be.below(150)
  })

  it('are not served if the client has cancelled them, or the connection has ended', async () => {
    const log: string[] = []
    const [given, ended] = [new RequestQueue(port), new RequestQueue(port)]
    storm(given, 'a', 20, log)
    let isOver = false
    for (let i = 0; i < 1000; i++) given.add({ isOver: () => isOver, serve: () => log.push('over') })
    storm(ended, 'b', 20, log)
    isOver = true
    ended.clear()
    const served = log.filter(text => text.startsWith('b')).length
    await eventually('the others are served', () => log.filter(text => text.startsWith('a')).length >= 20)
    await turns()
    expect(log).not.to.include('over')
    expect(log.filter(text => text.startsWith('b')).length).to.equal(served)
  })
})
