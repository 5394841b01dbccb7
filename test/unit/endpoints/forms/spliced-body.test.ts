import { expect } from 'chai'
import { SplicedBody } from '../../../../src/endpoints/forms/spliced-body.ts'
import { wholeOf } from '../../../../src/lib/filled-body.ts'

const source = (text: string) => ({ json: () => ({ bytes: Buffer.from(text), header: 0 }) })

describe('SplicedBody', () => {
  const cases: [string, [string, string?][]][] = [
    ['one text', [['a']]],
    ['texts that are not ASCII', [['ä𝄞'], ['\u2028', 'ß']]],
    ['texts and parts of JSON', [['a', 'b'], ['c'], ['d', 'e']]],
    ['many pieces', Array.from({ length: 5000 }, (_, i) => [`own ${i};`, `json ${i};`])],
    ['texts that fill their memory', Array.from({ length: 300 }, (_, i) => ['x'.repeat(i % 7 === 0 ? 1365 : 21_845), `${i}`])],
    ['texts longer than their memory', [['a'], ['y'.repeat(100_000)], ['b', 'c'], ['z'.repeat(70_000)]]],
    [
      'JSON longer than one piece',
      [
        ['a', 'j'.repeat(300_000)],
        ['b', 'k'.repeat(10)],
        ['c', 'l'.repeat(200_000)],
      ],
    ],
  ]
  for (const [what, pieces] of cases)
    it(`contains all of ${what} in order, each time it is opened`, () => {
      const body = new SplicedBody()
      let want = ''
      for (const [own, json] of pieces) {
        if (json === undefined) body.add(own)
        else body.add(own, source(`<<${json}>>`), 2, 2 + Buffer.byteLength(json))
        want += own + (json ?? '')
      }
      for (let i = 0; i < 2; i++) {
        const opened = body.open()
        expect(opened.length).to.equal(Buffer.byteLength(want))
        expect(wholeOf(opened).toString() === want).to.equal(true)
      }
    })
})
