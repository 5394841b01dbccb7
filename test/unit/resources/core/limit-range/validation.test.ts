import { expect } from 'chai'
import type { LimitRange } from '../../../../../src/api/core/v1.types.ts'
import { runAtOnce } from '../../../../../src/lib/steps.ts'
import { fieldErrorText } from '../../../../../src/meta/field-error.ts'
import { validateLimitRange } from '../../../../../src/resources/core/limit-range/validation.ts'
import { countedSteps } from '../../../../support/counted-steps.ts'

const rangeOf = (max: Record<string, string>, min: Record<string, string> = {}): LimitRange => ({
  apiVersion: 'v1',
  kind: 'LimitRange',
  metadata: { name: 'wide' },
  spec: { limits: [{ type: 'Container', max, min }] },
})

describe('validateLimitRange', () => {
  it('checks many resources of one limit in steps', () => {
    const max = Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`example.com/k${i}`, '1']))
    const { result, yields } = countedSteps(validateLimitRange(rangeOf(max)))
    expect(result).to.deep.equal([])
    expect(yields).to.be.above(100)
  })

  it('compares the quantities of each resource', () => {
    const errors = runAtOnce(validateLimitRange(rangeOf({ cpu: '1', memory: '1Gi' }, { cpu: '2' })))
    expect(errors.map(fieldErrorText)).to.deep.equal([
      'spec.limits[0].min[cpu]: Invalid value: "2": min value 2 is greater than max value 1',
    ])
  })
})
