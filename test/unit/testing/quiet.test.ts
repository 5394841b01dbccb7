import { expect } from 'chai'
import { computeElsewhere } from '../../../src/lib/other-threads.ts'
import { quiet } from '../../../src/testing/quiet.ts'
import { HeldTime } from '../../support/held-time.ts'
import { turns } from '../../support/waiting.ts'

describe('quiet', () => {
  let time: HeldTime
  beforeEach(() => {
    time = HeldTime.hold()
  })
  afterEach(() => time.release())

  /** Waits for a controller that works until `end`. */
  function waiting(revision: () => number = () => 1): { readonly isOver: () => boolean; readonly end: () => void } {
    let isIdle = false
    let isOver = false
    void quiet(revision, () => isIdle).then(() => {
      isOver = true
    })
    return {
      isOver: () => isOver,
      end: () => {
        isIdle = true
      },
    }
  }

  it('resolves soon after a controller has ended its work', async () => {
    const { isOver, end } = waiting()
    await turns(100)
    expect(isOver()).to.equal(false)
    end()
    await turns(2)
    expect(isOver()).to.equal(true)
  })

  it('gives up on work without a write after fifty milliseconds, if turns have passed too', async () => {
    let revision = 1
    const { isOver } = waiting(() => revision)
    time.pass(1000)
    await turns(100)
    expect(isOver()).to.equal(false)
    revision++
    await turns(1000)
    expect(isOver()).to.equal(false)
    time.pass(51)
    await turns(2)
    expect(isOver()).to.equal(true)
  })

  it('waits for work in another thread, however long it takes', async () => {
    let compute = (): void => {}
    const computed = computeElsewhere(() => new Promise<void>(resolve => (compute = resolve)))
    const { isOver } = waiting()
    time.pass(60_000)
    await turns(1000)
    expect(isOver()).to.equal(false)
    compute()
    await computed
    // Work after the computation has as much time as any other.
    time.pass(40)
    await turns(1000)
    expect(isOver()).to.equal(false)
    time.pass(11)
    await turns(2)
    expect(isOver()).to.equal(true)
  })
})
