import { expect } from 'chai'
import { keyAhead } from '../../../src/storage/key-ahead.ts'
import { key } from '../../../src/storage/revision.ts'

const ahead = (from: string, to: string, factor: number) => keyAhead(key(from), key(to), factor)

describe('storage/key-ahead', () => {
  for (const [from, to, factor, expected] of [
    ['/r/a-0000497\0', '/r/a-0018292\0', 1, '/r/a-003608700000000'],
    ['/r/a-0008000', '/r/a-0009000', 2, '/r/a-0011000000000000'],
    ['/r/a-100', '/r/a-200', 0.5, '/r/a-250000000000000'],
    ['/r/ns/web-abc', '/r/ns/web-bbc', 1, '/r/ns/web-cbc----'],
    ['/r/ns-a/z', '/r/ns-c/z', 1, '/r/ns-e/z----'],
    // A prefix has the first name of all.
    ['/r/', '/r/b', 0.1, '/r/cg-------'],
  ] as const)
    it(`is ${expected} after ${JSON.stringify(to)}, ${factor} times as far as from ${JSON.stringify(from)}`, () => {
      const found = ahead(from, to, factor)
      expect(found).to.equal(expected)
      expect(found !== undefined && found > to).to.equal(true)
    })

  it('is undefined behind the last name that is possible, and if the keys do not differ', () => {
    expect(ahead('/r/1', '/r/9', 1)).to.equal(undefined)
    expect(ahead('/r/ns/0', '/r/ns/z', 1)).to.equal(undefined)
    expect(ahead('/r/a', '/r/a', 1)).to.equal(undefined)
    expect(ahead('/r/', '/r/web', 30)).to.equal(undefined)
  })
})
