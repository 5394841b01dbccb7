import { expect } from 'chai'
import { BufferPool } from '../../../src/lib/buffer-pool.ts'

describe('a pool of buffers', () => {
  it('reuses returned buffers up to its limit', () => {
    const pool = new BufferPool(16, 2)
    const [a, b, c] = [pool.take(), pool.take(), pool.take()]
    expect(new Set([a, b, c]).size).to.equal(3)
    for (const buffer of [a, b, c]) pool.give(buffer)
    expect([pool.take(), pool.take()]).to.have.members([a, b])
    expect(pool.take()).not.to.be.oneOf([a, b, c])
  })

  it('keeps no buffers of other sizes', () => {
    const pool = new BufferPool(16, 2)
    pool.give(Buffer.alloc(8))
    expect(pool.take().length).to.equal(16)
  })

  it('has buffers of its own', () => {
    const [one, other] = [new BufferPool(16, 2), new BufferPool(16, 2)]
    const buffer = one.take()
    one.give(buffer)
    expect(other.take()).not.to.equal(buffer)
  })
})
