import { expect } from 'chai'
import type { Steps } from '../../../src/lib/steps.ts'
import { duplicate, type FieldError, required } from '../../../src/meta/field-error.ts'
import { type FieldPath, fieldPath } from '../../../src/meta/field-path.ts'
import { itemErrors, uniqueItemErrors } from '../../../src/meta/item-errors.ts'
import { countedSteps } from '../../support/counted-steps.ts'

const path = fieldPath('list')
const fieldsOf = (steps: Steps<FieldError[]>) => {
  const { result, yields } = countedSteps(steps)
  return { fields: result.map(({ field, reason }) => `${reason} ${field}`), yields }
}
const notEmpty = (text: string, at: FieldPath): FieldError[] => (text === '' ? [required(at)] : [])

describe('errors of items', () => {
  it('have the path of their item, and are found in steps', () => {
    const items = Array.from({ length: 5120 }, (_, i) => (i % 5000 === 1 ? '' : 'a'))
    const found = fieldsOf(itemErrors(items, path, notEmpty))
    expect(found.fields).to.deep.equal(['FieldValueRequired list[1]', 'FieldValueRequired list[5001]'])
    expect(found.yields).to.be.at.least(10)
    expect(fieldsOf(itemErrors([], path, notEmpty))).to.deep.equal({ fields: [], yields: 0 })
  })

  it('may be found in steps of each item', () => {
    const nested = itemErrors(
      [
        ['', 'a'],
        ['a', ''],
      ],
      path,
      (item, at) => itemErrors(item, at.child('inner'), notEmpty),
    )
    expect(fieldsOf(nested).fields).to.deep.equal(['FieldValueRequired list[0].inner[0]', 'FieldValueRequired list[1].inner[1]'])
  })

  it('include those of repeated items, after their own', () => {
    const found = uniqueItemErrors(['a', '', 'a', ''], path, notEmpty, (item, at) => duplicate(at, item))
    expect(fieldsOf(found).fields).to.deep.equal([
      'FieldValueRequired list[1]',
      'FieldValueDuplicate list[2]',
      'FieldValueRequired list[3]',
      'FieldValueDuplicate list[3]',
    ])
  })
})
