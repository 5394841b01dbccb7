import { expect } from 'chai'
import { expiringCache } from '../../../src/lib/expiring-cache.ts'

describe('expiringCache', () => {
  it('drops a value at the end of its lifetime', () => {
    let now = 0
    const cache = expiringCache<string>(2, () => now)
    cache.set('a', 'x', 10)
    now = 9
    expect(cache.get('a')).to.equal('x')
    now = 10
    expect(cache.get('a')).to.equal(undefined)
  })

  it('drops the value that was used least recently', () => {
    const cache = expiringCache<string>(2, () => 0)
    cache.set('a', 'x', 10)
    cache.set('b', 'y', 10)
    cache.get('a')
    cache.set('c', 'z', 10)
    expect(['a', 'b', 'c'].map(key => cache.get(key))).to.deep.equal(['x', undefined, 'z'])
  })

  it('does not store a value without a lifetime', () => {
    const cache = expiringCache<string>(2, () => 0)
    cache.set('a', 'x', 10)
    cache.set('a', 'y', 0)
    expect(cache.get('a')).to.equal('x')
  })
})
