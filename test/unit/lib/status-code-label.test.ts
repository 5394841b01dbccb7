import { expect } from 'chai'
import { statusCodeLabel } from '../../../src/lib/status-code-label.ts'

describe('the label of a status code', () => {
  for (const [code, label] of [
    [200, '200'],
    [429, '429'],
    [218, '200'],
    [499, '400'],
    [599, '500'],
    [999, '900'],
  ] as const)
    it(`is ${label} for ${code}`, () => {
      expect(statusCodeLabel(code)).to.equal(label)
    })
})
