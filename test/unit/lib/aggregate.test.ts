import { expect } from 'chai'
import { aggregate } from '../../../src/lib/aggregate.ts'

describe('aggregate', () => {
  const cases: [messages: string[], text: string][] = [
    [[], ''],
    [['a'], 'a'],
    [['a', 'a'], 'a'],
    [['b', 'a', 'b'], '[b, a]'],
  ]
  for (const [messages, text] of cases) it(`formats ${JSON.stringify(messages)}`, () => expect(aggregate(messages)).to.equal(text))
})
