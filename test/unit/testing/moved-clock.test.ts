import { expect } from 'chai'
import { MovedClock } from '../../../src/testing/moved-clock.ts'
import { eventually } from '../../support/waiting.ts'

const settled = async (): Promise<void> => {}

describe('MovedClock', () => {
  it('stands still until it is moved', async () => {
    const clock = new MovedClock({ at: 1000, runs: false })
    let calls = 0
    clock.after(1, () => calls++)
    await new Promise(resolve => setTimeout(resolve, 20))
    expect([clock.now(), clock.steady.now(), calls]).to.deep.equal([1000, 1000, 0])
    await clock.advance(1, settled)
    expect([clock.now(), clock.steady.now(), calls]).to.deep.equal([1001, 1001, 1])
  })

  it('fires timers at their times, in order, and awaits their consequences', async () => {
    const clock = new MovedClock({ at: 0, runs: false })
    const seen: string[] = []
    const note = (name: string) => () => void seen.push(`${name} at ${clock.now()}`)
    clock.after(30, note('c'))
    clock.after(10, () => {
      note('a')()
      clock.after(10, note('b'))
    })
    clock.after(10, note('a, too'))
    clock.after(20, note('none')).close()
    clock.after(41, note('later'))
    await clock.advance(40, async () => void seen.push('settled'))
    expect(seen).to.deep.equal(['a at 10', 'a, too at 10', 'settled', 'b at 20', 'settled', 'c at 30', 'settled', 'settled'])
    expect(clock.now()).to.equal(40)
  })

  it('fires due timers immediately', async () => {
    const clock = new MovedClock({ at: 0, runs: false })
    let called = false
    clock.after(0, () => {
      called = true
    })
    await eventually('it is called', () => called)
  })

  it('serializes moves', async () => {
    const clock = new MovedClock({ at: 0, runs: false })
    const seen: number[] = []
    for (const at of [5, 15]) clock.after(at, () => seen.push(clock.now()))
    await Promise.all([clock.advance(10, settled), clock.advance(10, settled)])
    expect([...seen, clock.now()]).to.deep.equal([5, 15, 20])
  })

  it("runs with the machine's time if configured", async () => {
    const clock = new MovedClock({ at: 0, runs: true })
    let called = 0
    clock.after(3_600_005, () => called++)
    await clock.advance(3_600_000, settled)
    expect(clock.now()).to.be.within(3_600_000, 3_660_000)
    await eventually('it is called', () => called === 1)
  })

  it('forks into a clock with the same time that moves independently', async () => {
    const clock = new MovedClock({ at: 7, runs: false })
    const copy = clock.fork()
    await copy.advance(1, settled)
    expect([clock.now(), copy.now()]).to.deep.equal([7, 8])
  })
})
