import { expect } from 'chai'
import { changeText, joinParts, replaceInSteps, textParts } from '../../../../src/cel/functions/long-texts.ts'
import { runAtOnce } from '../../../../src/lib/steps.ts'

/** Texts of one piece and of several, with pairs of units at the end of a piece or not. */
const TEXTS = ['', 'a', '😀', 'aé😀', ...[16_383, 16_384, 16_385, 40_000].map(length => `a${'😀é-'.repeat(length)}`), 'ab'.repeat(40_000)]
/** Whether they are equal, because a difference of long texts takes long to print. */
const isEqual = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

describe('work on long texts', () => {
  it('changes every character once, undivided', () => {
    for (const text of TEXTS) {
      const change = (piece: string): string => Array.from(piece, char => (char === '😀' ? 'x' : char.toUpperCase())).join('')
      expect(isEqual(changeText(text, change), change(text)), `${text.length} units`).to.equal(true)
    }
  })

  it('splits and joins as the runtime does', () => {
    for (const text of TEXTS)
      for (const separator of ['', 'a', 'é', '😀', 'é-'.repeat(200)]) {
        const parts = separator === '' ? Array.from(text) : text.split(separator)
        expect(isEqual(runAtOnce(textParts(text, separator)), parts), `${text.length} units at ${separator}`).to.equal(true)
        expect(runAtOnce(joinParts(parts, '+')) === parts.join('+'), `${text.length} units at ${separator}`).to.equal(true)
      }
  })

  it('replaces up to the limit', () => {
    for (const text of TEXTS)
      for (const from of ['', 'a', 'é', '😀-'])
        for (const limit of [-1, 0, 1, 2, 16_384, 16_385, 1_000_000]) {
          const parts = from === '' ? ['', ...Array.from(text), ''] : text.split(from)
          const count = limit < 0 ? parts.length : limit + 1
          const rest = parts.slice(count).map(part => from + part)
          const expected = parts.slice(0, count).join('xy') + rest.join('')
          const replaced = runAtOnce(replaceInSteps(text, { from, to: 'xy', limit }))
          expect(replaced === expected, `${limit} of ${from} in ${text.length} units`).to.equal(true)
        }
  })
})
