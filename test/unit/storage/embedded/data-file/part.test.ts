import { expect } from 'chai'
import { compareParts, Part } from '../../../../../src/storage/embedded/data-file/part.ts'

const TEXTS = ['', '\0', '\0\0', 'a', 'ab', 'abc', 'abd', 'b', '\x7f', '\x80', '\xff', '\xff\xff']

/** The bytes between others, so that a reader that leaves the part shows. */
const within = (text: string, before: string, after: string): Part => {
  const bytes = Buffer.from(`${before}${text}${after}`, 'latin1')
  return new Part().moveTo(bytes, before.length, before.length + text.length)
}

describe('storage/embedded/data-file/part', () => {
  it('orders parts as Buffer.compare orders their views', () => {
    for (const a of TEXTS)
      for (const b of TEXTS) {
        const [first, second] = [within(a, 'xy', 'a'), within(b, 'z', '\xff')]
        expect(Math.sign(compareParts(first, second)), JSON.stringify([a, b])).to.equal(Buffer.compare(first.view(), second.view()))
      }
  })

  it('keeps the bytes of a copy when the part is moved', () => {
    const part = within('key', '--', '--')
    const copy = part.copy()
    part.bytes.fill(0)
    expect([copy.view().toString(), copy.length]).to.deep.equal(['key', 3])
  })
})
