import { expect } from 'chai'
import { repeats } from '../../../src/lib/repeats.ts'

describe('repeats', () => {
  it('reports each repetition, but not the first occurrence', () =>
    expect(repeats(['a', 'b', 'a', 'a', 'c'])).to.deep.equal([false, false, true, true, false]))
  it('returns an empty list for an empty list', () => expect(repeats([])).to.deep.equal([]))
})
