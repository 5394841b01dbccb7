import { expect } from 'chai'
import { ControlQueue } from '../../../../src/protocols/http2/control-queue.ts'

const frame = (n: number): Buffer => Buffer.from(`frame ${n};`)

/** Everything, written through memory of the size. */
function taken(queue: ControlQueue, size: number): string {
  const out: Buffer[] = []
  while (queue.bytes > 0) {
    const memory = Buffer.alloc(size)
    out.push(memory.subarray(0, queue.takeInto(memory)))
  }
  return Buffer.concat(out).toString()
}

describe('frames without flow control', () => {
  for (const count of [1, 63, 64, 65, 1000])
    for (const size of [7, 100, 100_000])
      it(`keep their order: ${count}, written in pieces of ${size}`, () => {
        const queue = new ControlQueue()
        for (let n = 0; n < count; n++) queue.push(frame(n))
        expect(taken(queue, size)).to.equal(Array.from({ length: count }, (_, n) => frame(n)).join(''))
      })

  it('keep their order if some are written before others are queued', () => {
    const queue = new ControlQueue()
    const out = Buffer.alloc(10)
    let got = ''
    for (let n = 0; n < 500; n++) {
      queue.push(frame(n))
      if (n % 3 === 0) got += out.toString('latin1', 0, queue.takeInto(out))
    }
    expect(got + taken(queue, 1000)).to.equal(Array.from({ length: 500 }, (_, n) => frame(n)).join(''))
  })

  it('use memory in proportion to their bytes, however small they are', () => {
    const queue = new ControlQueue()
    global.gc?.()
    const before = process.memoryUsage()
    for (let n = 0; n < 200_000; n++) queue.push(Buffer.alloc(13))
    const after = process.memoryUsage()
    const kept = after.arrayBuffers - before.arrayBuffers
    expect(queue.bytes).to.equal(2_600_000)
    expect(
      Object.values(queue).reduce<number>((count, value) => count + (Array.isArray(value) ? value.length : 0), 0),
      'buffers',
    ).to.be.below(4000)
    expect(kept).to.be.below(40_000_000)
  })
})
