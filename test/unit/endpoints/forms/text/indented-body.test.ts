import { expect } from 'chai'
import { indentedBody } from '../../../../../src/endpoints/forms/text/styles.ts'
import { filledWith, wholeOf } from '../../../../../src/lib/filled-body.ts'
import { seededRandom } from '../../../../../src/lib/seeded-random.ts'

function some(random: () => number, depth: number): unknown {
  const texts = ['', '"', '\\', '{[,:]}', 'ü', 'x'.repeat(Math.floor(random() * 2000)), '\\"']
  const kind = Math.floor(random() * (depth > 5 ? 3 : 5))
  if (kind === 0) return texts[Math.floor(random() * texts.length)]
  if (kind === 1) return Math.floor(random() * 1000)
  if (kind === 2) return [null, true, [], {}][Math.floor(random() * 4)]
  const count = Math.floor(random() * 6)
  if (kind === 3) return Array.from({ length: count }, () => some(random, depth + 1))
  return Object.fromEntries(
    Array.from({ length: count }, (_, i) => [`${texts[Math.floor(random() * texts.length)]}${i}x`, some(random, depth + 1)]),
  )
}

describe('indentedBody', () => {
  it('equals the result of JSON.stringify for any parts', async () => {
    const random = seededRandom(5)
    for (let round = 0; round < 40; round++) {
      const value = Array.from({ length: Math.floor(random() * 60) }, () => some(random, 0))
      const json = Buffer.from(JSON.stringify(value))
      const cuts: Buffer[] = []
      for (let at = 0; at < json.length; ) {
        const size = 1 + Math.floor(random() * (random() < 0.5 ? 10 : 3000))
        cuts.push(json.subarray(at, at + size))
        at += size
      }
      const body = await indentedBody(() => filledWith(cuts, json.length))
      const expected = JSON.stringify(value, null, 2)
      expect(body.length).to.equal(Buffer.byteLength(expected))
      expect(wholeOf(body).toString()).to.equal(expected)
    }
  })
})
