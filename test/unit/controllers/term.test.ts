import { expect } from 'chai'
import { elapsed, type Instant, Term } from '../../../src/controllers/term.ts'
import { HeldTime } from '../../support/held-time.ts'

/** Both clocks show the test's time. */
const at = (): Instant => ({ wall: 1e12 + performance.now(), monotonic: performance.now() })

describe('Term', () => {
  let time: HeldTime
  beforeEach(() => {
    time = HeldTime.hold()
  })
  afterEach(() => time.release())

  const spans: [what: string, wall: number, monotonic: number, passed: number][] = [
    ['both clocks advance', 50, 50, 50],
    ['the clock is set back', -1000, 50, 50],
    ['the monotonic clock stopped during suspend', 50, 0, 50],
  ]
  for (const [what, wall, monotonic, passed] of spans)
    it(`uses the longer time if ${what}`, () => {
      expect(elapsed({ wall: 5000, monotonic: 100 }, { wall: 5000 + wall, monotonic: 100 + monotonic })).to.equal(passed)
    })

  it('ends by itself', () => {
    const term = new Term(at(), 250, at)
    let told = 0
    term.signal.addEventListener('abort', () => void told++)
    time.pass(249)
    expect([term.over, term.signal.aborted, term.fence.aborted]).to.deep.equal([false, false, false])
    time.pass(1)
    expect(told).to.equal(1)
    expect([term.over, term.signal.aborted, term.fence.aborted]).to.deep.equal([true, true, true])
  })

  it('lasts while it is extended', () => {
    const term = new Term(at(), 400, at)
    for (let i = 0; i < 6; i++) {
      time.pass(399)
      term.extend(at())
    }
    expect(term.over).to.equal(false)
    term.stop()
    expect(term.over).to.equal(true)
    term.extend(at())
    expect(term.over).to.equal(true)
  })

  it('is over as soon as the fence is checked, before any timer has run', () => {
    let now: Instant = { wall: 0, monotonic: 0 }
    const term = new Term(now, 4000, () => now)
    const log: string[] = []
    term.fence.addEventListener('abort', () => void log.push('fence'))
    term.signal.addEventListener('abort', () => void log.push('signal'))
    now = { wall: 3999, monotonic: 3999 }
    expect(term.fence.aborted).to.equal(false)
    now = { wall: 4000, monotonic: 4000 }
    expect(term.fence.aborted).to.equal(true)
    expect(log).to.have.members(['fence', 'signal'])
    expect(() => term.fence.throwIfAborted()).to.throw('aborted')
  })

  it('notifies listeners of the fence when it is stopped', () => {
    const term = new Term(at(), 10_000, at)
    let told = 0
    term.fence.addEventListener('abort', () => void told++)
    term.stop()
    expect(told).to.equal(1)
  })
})
