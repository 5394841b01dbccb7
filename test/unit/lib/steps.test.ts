import { expect } from 'chai'
import {
  isLongStepDone,
  isStepDone,
  runAtOnce,
  runIfSteps,
  runInTurns,
  type Steps,
  someInSteps,
  startInTurns,
} from '../../../src/lib/steps.ts'
import { countedSteps } from '../../support/counted-steps.ts'
import { HeldTime } from '../../support/held-time.ts'

/** Each step takes so many milliseconds. */
function* work(ms: number, steps: number): Steps<string> {
  for (let i = 0; i < steps; i++) {
    time.pass(ms)
    yield
  }
  return 'done'
}

/** Number of turns in which other work ran meanwhile. */
async function othersTurns(run: () => Promise<unknown>): Promise<number> {
  let turns = 0
  let on = true
  const count = (): void => {
    turns++
    if (on) setImmediate(count)
  }
  await new Promise(resolve => setImmediate(resolve))
  setImmediate(count)
  await run()
  on = false
  return turns
}

let time: HeldTime

describe('work in steps', () => {
  beforeEach(() => {
    time = HeldTime.hold()
  })
  afterEach(() => time.release())

  it('returns its result, in one call and in turns', async () => {
    expect(runAtOnce(work(0, 3))).to.equal('done')
    expect(await runInTurns(work(0, 3))).to.equal('done')
  })
  it('lets other work run after each long step', async () => expect(await othersTurns(() => runInTurns(work(15, 5)))).to.be.at.least(4))
  it('continues in the same turn after short steps', async () => expect(await othersTurns(() => runInTurns(work(0, 5)))).to.be.at.most(1))
  it('starts immediately, and waits only after a long step', async () => {
    await new Promise(resolve => setImmediate(resolve))
    expect(startInTurns(work(0, 0))).to.equal('done')
    const waiting = startInTurns(work(15, 2))
    expect(waiting).to.be.instanceOf(Promise)
    expect(await waiting).to.equal('done')
    expect(await othersTurns(async () => startInTurns(work(15, 5)))).to.be.at.least(4)
  })
  it('ends steps at the same rates in a loop over small and long pieces, whatever ran before', () => {
    for (const before of [0, 1]) {
      for (let i = 0; i < before; i++) isStepDone()
      let [small, long] = [0, 0]
      for (let i = 0; i < 5120; i++) {
        if (isLongStepDone()) long++
        if (isStepDone()) small++
      }
      expect([small, long]).to.deep.equal([10, 160])
    }
  })
  it('searches a list up to the first item that is found', () => {
    const items = Array.from({ length: 5120 }, (_, i) => i)
    expect(countedSteps(someInSteps(items, item => item < 0))).to.deep.equal({ result: false, yields: 10 })
    const seen: number[] = []
    expect(runAtOnce(someInSteps(items, item => seen.push(item) === 3))).to.equal(true)
    expect(seen).to.have.length(3)
  })

  it('treats a list as a result, and runs steps', () => {
    expect(runAtOnce(runIfSteps<string[]>(['a', 'b']))).to.deep.equal(['a', 'b'])
    expect(runAtOnce(runIfSteps<{ next: string }>({ next: 'b' }))).to.deep.equal({ next: 'b' })
    const made = (function* (): Steps<string[]> {
      yield
      return ['c']
    })()
    expect(runAtOnce(runIfSteps<string[]>(made))).to.deep.equal(['c'])
  })
  it('fails with the error of its steps', async () => {
    function* failing(): Steps<void> {
      yield
      throw new Error('no')
    }
    const told = await runInTurns(failing()).then(
      () => '',
      (error: Error) => error.message,
    )
    expect(told).to.equal('no')
  })
})
