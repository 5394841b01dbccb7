import { expect } from 'chai'
import { keyAfter, prefixEnd } from '../../../src/storage/key-range.ts'
import type { Key } from '../../../src/storage/revision.ts'

const ends: [prefix: string, end: string][] = [
  ['/registry/pods/', '/registry/pods0'],
  ['a', 'b'],
  ['a~', 'a\x7f'],
  ['caf\u00e9', 'caf\u00ea'],
  ['\u007f', '\u0080'],
  ['\ud7ff', '\ue000'],
  ['\uffff', '\u{10000}'],
  ['a\u{10ffff}', 'b'],
  ['\u{10ffff}', '\0'],
  ['', '\0'],
]

describe('prefixEnd', () => {
  for (const [prefix, end] of ends)
    it(`returns ${JSON.stringify(end)} for ${JSON.stringify(prefix)}`, () => expect(prefixEnd(prefix)).to.equal(end))
})

describe('keyAfter', () => {
  it('sorts before every longer key', () => {
    const next = keyAfter('/a' as Key)
    expect(['/a', next, '/a\x01', '/a/b'].sort()).to.deep.equal(['/a', next, '/a\x01', '/a/b'])
  })
})
