import { expect } from 'chai'
import { SizedCache } from '../../../src/lib/sized-cache.ts'

describe('SizedCache', () => {
  const kept = (cache: SizedCache<number>, keys: string): string => [...keys].filter(key => cache.get(key) !== undefined).join('')

  it('evicts the oldest entry above the limit', () => {
    const cache = new SizedCache<number>(3, 1000)
    for (const key of 'abcd') cache.set(key, 1, 1)
    expect(kept(cache, 'abcd')).to.equal('bcd')
    cache.set('b', 2, 1)
    cache.set('e', 1, 1)
    expect([kept(cache, 'abcde'), cache.get('b')]).to.deep.equal(['bde', 2])
  })

  it('evicts as many entries as necessary', () => {
    const cache = new SizedCache<number>(1000, 160)
    for (let i = 0; i < 16; i++) cache.set(String.fromCharCode(97 + i), 1, 10)
    cache.set('A', 1, 5)
    expect(kept(cache, 'abcA')).to.equal('bcA')
    cache.set('B', 1, 5)
    expect(kept(cache, 'abcAB')).to.equal('bcAB')
    cache.delete('c')
    cache.set('C', 1, 10)
    expect(kept(cache, 'abcdABC')).to.equal('bdABC')
  })

  it('does not store a value that is too large, and removes the previous one', () => {
    const cache = new SizedCache<number>(10, 160)
    cache.set('a', 1, 10)
    cache.set('a', 2, 11)
    expect(cache.get('a')).to.equal(undefined)
  })
})
