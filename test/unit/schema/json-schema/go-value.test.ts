import { expect } from 'chai'
import { invalid, worded } from '../../../../src/meta/field-error.ts'
import { fieldPath } from '../../../../src/meta/field-path.ts'
import { goValue } from '../../../../src/schema/json-schema/go-value.ts'

describe('goValue', () => {
  const error = invalid(fieldPath('spec'), goValue({ b: [9_007_199_254_740_993n, '<', null], a: { c: 0.5 } }), 'wrong')

  it('prints objects as Go does, with integers beyond 2^53', () => {
    const printed =
      'map[string]interface {}{"a":map[string]interface {}{"c":0.5}, "b":[]interface {}{9007199254740993, "<", interface {}(nil)}}'
    expect(error.body).to.equal(`Invalid value: ${printed}: wrong`)
  })

  it('prints them as JSON since 1.34', () => {
    expect(worded(error, '1.34')?.body).to.equal('Invalid value: {"a":{"c":0.5},"b":[9007199254740993,"\\u003c",null]}: wrong')
  })
})
