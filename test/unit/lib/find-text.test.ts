import { expect } from 'chai'
import { indexOfText, lastIndexOfText, splitText } from '../../../src/lib/find-text.ts'
import { seededRandom } from '../../../src/lib/seeded-random.ts'

const random = seededRandom(7)
const textOf = (length: number): string => Array.from({ length }, () => (random() < 0.9 ? 'a' : random() < 0.9 ? 'b' : '\ud83d')).join('')

describe('finding a text in another', () => {
  it("returns what the runtime's search returns, for parts of every length", () => {
    for (let i = 0; i < 400; i++) {
      const part = textOf(1 + Math.floor(random() * (i % 2 === 0 ? 6 : 600)))
      const text = [textOf(i % 7), part, textOf(i % 3), part, part, textOf(i % 11)].slice(i % 4 === 0 ? 2 : 0, 6).join('') + textOf(i)
      const from = Math.floor(random() * text.length)
      expect(indexOfText(text, part)).to.equal(text.indexOf(part))
      expect(indexOfText(text, part, from)).to.equal(text.indexOf(part, from))
      expect(lastIndexOfText(text, part)).to.equal(text.lastIndexOf(part))
      expect(lastIndexOfText(text, part, from)).to.equal(text.lastIndexOf(part, from))
      expect(splitText(text, part)).to.deep.equal(text.split(part))
    }
  })

  it('returns -1 for a part that is longer than the text', () => {
    expect(indexOfText('a', 'a'.repeat(300))).to.equal(-1)
    expect(lastIndexOfText('a'.repeat(999), 'a'.repeat(1000))).to.equal(-1)
  })
})
