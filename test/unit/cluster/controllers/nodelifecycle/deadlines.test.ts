import { expect } from 'chai'
import { Deadlines } from '../../../../../src/cluster/controllers/nodelifecycle/deadlines.ts'
import type { Timer } from '../../../../../src/lib/clock.ts'

/** Deadlines of nodes under a clock that the test moves. Counts how often all nodes are looked at. */
class Nodes {
  now = 0
  looks = 0
  readonly at = new Map<string, number>()
  readonly passed: string[] = []
  readonly deadlines: Deadlines
  readonly #timers = new Map<Timer, { readonly at: number; readonly callback: () => void }>()

  constructor() {
    const after = (ms: number, callback: () => void): Timer => {
      const timer = { close: () => void this.#timers.delete(timer) } as Timer
      this.#timers.set(timer, { at: this.now + ms, callback })
      return timer
    }
    this.deadlines = new Deadlines({
      clock: { now: () => this.now, after } as never,
      nodes: () => {
        this.looks++
        return this.at.keys()
      },
      deadlineOf: node => this.at.get(node),
      passed: nodes => void this.passed.push(...nodes),
    })
  }

  set(node: string, deadline: number): void {
    this.at.set(node, deadline)
    this.deadlines.observe(node)
  }

  /** Moves the clock, and calls what is due on the way. */
  until(time: number): void {
    for (;;) {
      const [next] = [...this.#timers].filter(([, { at }]) => at <= time).sort(([, a], [, b]) => a.at - b.at)
      if (next === undefined) break
      const [timer, { at, callback }] = next
      this.#timers.delete(timer)
      this.now = at
      callback()
    }
    this.now = time
  }
}

describe('deadlines of nodes', () => {
  it('pass one millisecond after the time, unless they have moved', () => {
    const nodes = new Nodes()
    nodes.set('a', 40_000)
    nodes.set('b', 50_000)
    nodes.until(40_000)
    expect(nodes.passed).to.deep.equal([])
    nodes.at.set('b', 60_000)
    nodes.until(59_000)
    expect(nodes.passed).to.deep.equal(['a'])
    nodes.until(60_001)
    expect(nodes.passed).to.deep.equal(['a', 'b'])
  })

  it('pass again for a node that was settled', () => {
    const nodes = new Nodes()
    nodes.set('a', 10)
    nodes.until(100)
    nodes.at.set('a', 5000)
    nodes.deadlines.settle('a')
    nodes.until(5001)
    expect(nodes.passed).to.deep.equal(['a', 'a'])
  })

  it('cost one look a second, also while nodes wait to be settled', () => {
    const nodes = new Nodes()
    for (let i = 0; i < 5000; i++) nodes.set(`node-${i}`, 1000 + 2 * i)
    nodes.until(60_000)
    expect(nodes.passed.length).to.equal(5000)
    expect(nodes.looks).to.be.at.most(11)
    nodes.until(600_000)
    expect(nodes.looks).to.be.at.most(11)
  })

  it('set an earlier timer for a node with an earlier one', () => {
    const nodes = new Nodes()
    nodes.set('slow', 60_000)
    nodes.set('fast', 40_000)
    nodes.until(40_001)
    expect(nodes.passed).to.deep.equal(['fast'])
  })
})
