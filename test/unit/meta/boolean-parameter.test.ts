import { expect } from 'chai'
import { isTrueParameter } from '../../../src/meta/boolean-parameter.ts'

describe('isTrueParameter', () => {
  const table: [value: string | null, isTrue: boolean][] = [
    [null, false],
    ['false', false],
    ['False', false],
    ['0', false],
    ['', true],
    ['true', true],
    ['1', true],
    ['no', true],
    ['00', true],
  ]
  for (const [value, isTrue] of table)
    it(`is ${isTrue} for ${value === null ? 'no parameter' : JSON.stringify(value)}`, () => expect(isTrueParameter(value)).to.equal(isTrue))
})
