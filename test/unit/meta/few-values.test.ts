import { expect } from 'chai'
import { hasFewValues } from '../../../src/meta/few-values.ts'

describe('a value of few members and elements', () => {
  const cases: [value: unknown, count: number][] = [
    [null, 0],
    ['text', 0],
    [[], 0],
    [[1, 2, 3], 3],
    [{ a: 1, b: null }, 2],
    [{ a: [{ b: 1 }, { c: [1, 2] }] }, 7],
    [[[], [[]]], 3],
  ]
  for (const [value, count] of cases)
    it(`${JSON.stringify(value)} has ${count}`, () => {
      expect(hasFewValues(value, count)).to.equal(true)
      expect(hasFewValues(value, count - 1)).to.equal(false)
    })
})
