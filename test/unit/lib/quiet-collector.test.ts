import { expect } from 'chai'
import { QuietCollector } from '../../../src/lib/quiet-collector.ts'

const MB = 1 << 20
const SECOND = 1000

describe('QuietCollector', () => {
  /** A process with a heap of 60 MB at first, and of 70 MB after a collection. */
  function begin() {
    const state = { cpu: 0, held: 60 * MB, collections: 0 }
    const collector = new QuietCollector(
      {
        cpu: () => state.cpu,
        held: () => state.held,
        collect() {
          state.collections++
          state.held = 70 * MB
          state.cpu += 100
        },
      },
      SECOND,
    )
    /** An interval with this many milliseconds of CPU time, and the heap in megabytes after it. */
    const pass = (cpu: number, megabytes: number): number => {
      state.cpu += cpu
      state.held = megabytes * MB
      collector.look()
      return state.collections
    }
    return { pass, collections: () => state.collections }
  }

  it('collects once after a burst, when it is quiet', () => {
    const { pass } = begin()
    expect([pass(900, 100), pass(900, 140), pass(10, 140), pass(10, 140)]).to.deep.equal([0, 0, 0, 1])
    expect([pass(10, 71), pass(10, 72), pass(10, 80)]).to.deep.equal([1, 1, 1])
    expect([pass(900, 120), pass(49, 120), pass(49, 120)]).to.deep.equal([1, 1, 2])
  })

  it('does not collect during a burst, or after little growth', () => {
    const { pass } = begin()
    for (let i = 0; i < 5; i++) expect([pass(10, 140), pass(900, 140)]).to.deep.equal([0, 0])
    const little = begin()
    for (let megabytes = 60; megabytes < 75; megabytes++) expect(little.pass(1, megabytes)).to.equal(0)
  })

  it('leaves a large heap to V8', () => {
    const { pass } = begin()
    expect([pass(1, 170), pass(1, 170), pass(1, 170), pass(1, 150)]).to.deep.equal([0, 0, 0, 1])
  })

  it('measures growth from the heap that V8 has left by itself', () => {
    const { pass } = begin()
    expect([pass(1, 50), pass(1, 40), pass(1, 45), pass(1, 57)]).to.deep.equal([0, 0, 0, 1])
  })
})
