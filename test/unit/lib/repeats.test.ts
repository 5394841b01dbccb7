import { expect } from 'chai'
import { repeats } from '../../../src/lib/repeats.ts'

describe('repeats', () => {
  it('tells what stands again, and not what stands first', () => expect(repeats(['a', 'b', 'a', 'a', 'c'])).to.deep.equal([false, false, true, true, false]))
  it('of nothing tells nothing', () => expect(repeats([])).to.deep.equal([]))
})
