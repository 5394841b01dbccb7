import { expect } from 'chai'
import { compareText, compareUnits } from '../../../src/lib/compare-text.ts'

const TEXTS = ['', 'a', 'ab', 'b', 'é', '\u{d7ff}', '\u{e000}', '\u{ffff}', '😀', '😀a', '😁', 'a😀', 'a\u{ffff}']

describe('compareText', () => {
  it('orders texts like the bytes of their UTF-8', () => {
    for (const a of TEXTS)
      for (const b of TEXTS) expect(Math.sign(compareText(a, b)), `${a} ${b}`).to.equal(Buffer.compare(Buffer.from(a), Buffer.from(b)))
  })
})

describe('compareUnits', () => {
  it('orders texts by UTF-16 units', () => {
    expect(TEXTS.toSorted(compareUnits)).to.deep.equal(TEXTS.toSorted())
    expect(compareUnits('😀', '\u{e000}')).to.equal(-1)
  })
})
