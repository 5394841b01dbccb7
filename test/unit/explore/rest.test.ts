import { expect } from 'chai'
import { Recording } from '../../../src/explore/recording.ts'
import { Rest, type RestOptions } from '../../../src/explore/rest.ts'
import { FaultRules } from '../../../src/faults/rules.ts'
import { systemClock } from '../../../src/lib/clock.ts'

const subject = {
  isController: () => true,
  isSevered: () => false,
  countsReads: true,
  isRestarting: false,
  isBusy: false,
  restart: () => {},
}

describe('the rest of a controller', () => {
  let rules: FaultRules
  let recording: Recording
  let rest: Rest | undefined
  beforeEach(() => {
    rules = new FaultRules(systemClock)
    rules.holds.heldMs = Number.POSITIVE_INFINITY
    recording = new Recording(subject, () => 1)
  })
  afterEach(() => rest?.close())

  const begun = (options: Partial<RestOptions> = {}, revision = () => 1): Rest => {
    const parts = { rules, revision, isIdle: () => true, objects: () => new Map(), markBeginning: () => {} }
    rest = new Rest({ parts, recording, quietMs: 12, isBusy: () => false, mostWrites: 10, ...options })
    rest.begin()
    return rest
  }
  const passes = (milliseconds: number) => new Promise(resolve => setTimeout(resolve, milliseconds))

  it('is not reached while a request is in progress, or the store changes', async () => {
    let revision = 1
    const { reached } = observed(begun({}, () => revision))
    const end = rules.holds.begin()
    await passes(40)
    expect(reached()).to.equal(false)
    end()
    for (let i = 0; i < 20; i++) {
      revision++
      await passes(2)
    }
    expect(reached()).to.equal(false)
    await rest?.reached(false)
  })

  it('is not reached while a program computes, unless it always does', async () => {
    let looks = 0
    await begun({ isBusy: () => ++looks < 10, mostBusyMs: Number.POSITIVE_INFINITY }).reached(false)
    expect(looks).to.be.at.least(12)
    rest?.close()
    await begun({ isBusy: () => true, mostBusyMs: 20 }).reached(false)
  })

  it('releases what is held, one after the other, if it is to', async () => {
    const released: number[] = []
    const { holds } = rules
    begun({ quietMs: 40 })
    void holds.wait().then(() => released.push(1))
    await rest?.reached(false)
    expect([released, holds.pending]).to.deep.equal([[], 1])
    void holds.wait().then(() => released.push(2))
    await rest?.reached(true)
    expect([released, holds.pending]).to.deep.equal([[1, 2], 0])
  })

  it('releases what is held after a longer time without activity by itself', async () => {
    const held = rules.holds.wait()
    begun()
    await held
    expect(rules.holds.pending).to.equal(0)
  })

  it('is given up after some time, or if the controller keeps writing', async () => {
    const error = await begun({ quietMs: 1e6, mostMs: 30 })
      .reached(true)
      .catch((thrown: Error) => thrown)
    expect(error).to.include({ name: 'RestlessError', message: 'the controller does not come to rest within 0.03 seconds' })
    expect(rest?.failure).to.equal(error)
    rest?.close()
    const storm = await begun({ quietMs: 1e6, mostWrites: -1 })
      .reached(true)
      .catch((thrown: Error) => thrown)
    expect(storm).to.include({ name: 'StormError' })
    // A program that still waits when the run is over gets no error.
    const waiting = begun({ quietMs: 1e6 }).reached(true)
    rest?.close()
    await waiting
  })

  it('measures the pauses of the controller, and not those that the test ends or that counted as rest', async () => {
    begun({ quietMs: 40 })
    recording.note('the test has begun')
    rules.holds.touch()
    await rest?.reached(false)
    recording.note('the test goes on')
    rules.holds.touch()
    await rest?.reached(false)
    expect(rest?.longestPauseMs).to.equal(0)
    // The controller goes on by itself.
    rules.holds.touch()
    await rest?.reached(false)
    expect(rest?.longestPauseMs).to.equal(0)
    await passes(80)
    rules.holds.touch()
    await passes(80)
    rules.holds.touch()
    await rest?.reached(false)
    expect(rest?.longestPauseMs).to.be.at.least(40)
  })

  /** Whether the rest has been reached so far. */
  const observed = (of: Rest): { readonly reached: () => boolean } => {
    let isReached = false
    void of.reached(false).then(() => {
      isReached = true
    })
    return { reached: () => isReached }
  }
})
