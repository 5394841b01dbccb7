import { expect } from 'chai'
import { SerialSteps } from '../../../src/lib/serial-steps.ts'
import type { Steps } from '../../../src/lib/steps.ts'
import { HeldTime } from '../../support/held-time.ts'

/** Steps that note their beginning and their end, and take longer than a turn may. */
function* noted(name: string, notes: string[], long: boolean): Steps<string> {
  notes.push(`begin ${name}`)
  for (const end = time.now + (long ? 12 : 0); time.now < end; time.pass(5)) yield
  notes.push(`end ${name}`)
  return name
}

function* failing(): Steps<string> {
  yield
  throw new Error('failed')
}

let time: HeldTime

describe('SerialSteps', () => {
  beforeEach(() => {
    time = HeldTime.hold()
  })
  afterEach(() => time.release())

  it('returns the result of short steps in the same call', async () => {
    await new Promise(setImmediate)
    expect(new SerialSteps().run(noted('a', [], false))).to.equal('a')
  })

  it('begins each call after the previous one has ended', async () => {
    await new Promise(setImmediate)
    const notes: string[] = []
    const changes = new SerialSteps()
    const results = [changes.run(noted('a', notes, true)), changes.run(noted('b', notes, true)), changes.run(noted('c', notes, false))]
    expect(results.every(result => result instanceof Promise)).to.equal(true)
    expect(await Promise.all(results)).to.deep.equal(['a', 'b', 'c'])
    expect(notes).to.deep.equal(['begin a', 'end a', 'begin b', 'end b', 'begin c', 'end c'])
    await new Promise(setImmediate)
    expect(changes.run(noted('d', notes, false))).to.equal('d')
  })

  it('goes on after steps that fail', async () => {
    const notes: string[] = []
    const changes = new SerialSteps()
    const first = changes.run(noted('a', notes, true))
    const failed = changes.run(failing())
    const last = changes.run(noted('b', notes, false))
    expect(await first).to.equal('a')
    expect(
      await Promise.resolve(failed).then(
        () => 'no error',
        (error: Error) => error.message,
      ),
    ).to.equal('failed')
    expect(await last).to.equal('b')
  })
})
