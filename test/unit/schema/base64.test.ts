import { expect } from 'chai'
import { base64Fault, isCanonicalBase64 } from '../../../src/schema/base64.ts'

describe('base64', () => {
  const table: [string, boolean, number][] = [
    ['', true, -1],
    ['YQ==', true, -1],
    ['YR==', false, -1],
    ['YWI=', true, -1],
    ['YWJ=', false, -1],
    ['YWJj', true, -1],
    ['YQ', false, 0],
    ['YWJjZ', false, 4],
    ['_-8=', false, 0],
    ['YQ=x', false, 2],
    ['YQ==x', false, 4],
    ['YW\nJj\r\n', false, -1],
  ]
  for (const [text, canonical, fault] of table) {
    it(JSON.stringify(text), () => {
      expect(isCanonicalBase64(text)).to.equal(canonical)
      expect(base64Fault(text)).to.equal(fault)
    })
  }
})
