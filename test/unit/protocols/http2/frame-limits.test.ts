import { expect } from 'chai'
import { FrameLimits } from '../../../../src/protocols/http2/frame-limits.ts'
import { EARNED, IDLE_FRAMES, RESETS } from '../../../../src/protocols/http2/limits.ts'

/** How often it may be done before it is too much, up to a number. */
function times(act: () => void, most = 50_000): number {
  for (let n = 0; n < most; n++)
    try {
      act()
    } catch (error) {
      expect(error).to.have.property('code', 11)
      return n
    }
  return most
}

describe('the budget of a client for frames other than requests', () => {
  let now = 0
  let conduct: FrameLimits
  beforeEach(() => {
    now = 0
    conduct = new FrameLimits({ now: () => now })
  })

  it('allows a burst of resets, and a number of them per second', () => {
    expect(times(() => conduct.reset())).to.equal(RESETS.burst)
    now += 2000
    expect(times(() => conduct.reset())).to.equal(2 * RESETS.perSecond)
  })

  it('allows a number of frames that belong to no request', () => {
    expect(times(() => conduct.idleFrame(0, 0))).to.equal(IDLE_FRAMES.burst)
    now += 1000
    expect(times(() => conduct.idleFrame(0, 0))).to.equal(IDLE_FRAMES.perSecond)
  })

  it('allows a small piece of a body per KiB', () => {
    conduct.body(100 * 1024)
    expect(times(() => conduct.idleFrame(0, 0))).to.equal(IDLE_FRAMES.burst + 100 * EARNED.perKib)
  })

  it('grows with requests', () => {
    for (let n = 0; n < 100; n++) conduct.request()
    expect(times(() => conduct.idleFrame(0, 0))).to.equal(IDLE_FRAMES.burst + 100 * EARNED.perRequest)
  })

  it('grows with sent data: two window updates per 4 KiB', () => {
    let sent = 0
    const widened = times(() => {
      if (sent < 40_000) sent++
      conduct.idleFrame(Math.floor(sent / 8), sent * 2048)
    }, 40_000)
    expect(widened).to.equal(40_000)
  })

  it('has a maximum', () => {
    conduct.idleFrame(1_000_000, 2 ** 40)
    expect(times(() => conduct.idleFrame(1_000_000, 2 ** 40))).to.equal(EARNED.most - 1 + IDLE_FRAMES.burst)
  })
})
