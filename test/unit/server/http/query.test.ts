import { expect } from 'chai'
import { parseQuery } from '../../../../src/server/http/query.ts'

const cases: [string, [string, string][]][] = [
  [
    'a=1&b=%20',
    [
      ['a', '1'],
      ['b', ' '],
    ],
  ],
  ['a=%zz&b=2', [['b', '2']]],
  ['a=1;b=2&c=3', [['c', '3']]],
  ['a=%', []],
  ['a', [['a', '']]],
]

describe('parseQuery', () => {
  for (const [search, expected] of cases)
    it(`parses ${search}`, () => {
      expect([...parseQuery(search)]).to.deep.equal(expected)
    })
})
