import { expect } from 'chai'
import type { MetaCondition } from '../../../src/meta/condition-validation.ts'
import { validateMetaConditions } from '../../../src/meta/condition-validation.ts'
import { allWorded, fieldErrorText } from '../../../src/meta/field-error.ts'
import { fieldPath } from '../../../src/meta/field-path.ts'

const whole: MetaCondition = {
  type: 'Ready',
  status: 'True',
  lastTransitionTime: '2026-01-01T00:00:00Z',
  reason: 'AsExpected',
  message: '',
}
const texts = (...conditions: MetaCondition[]): string[] =>
  validateMetaConditions(conditions, fieldPath('c')).map(({ field, body }) => `${field}: ${body}`)

describe('conditions', () => {
  const cases: [string, MetaCondition, string[]][] = [
    ['is whole', whole, []],
    ['has a domain', { ...whole, type: 'example.com/Ready' }, []],
    [
      'has a bad type',
      { ...whole, type: 'a b' },
      [
        "c[0].type: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
      ],
    ],
    [
      'has another status',
      { ...whole, status: 'Perhaps' },
      ['c[0].status: Unsupported value: "Perhaps": supported values: "False", "True", "Unknown"'],
    ],
    [
      'is of a generation below zero',
      { ...whole, observedGeneration: -1 },
      ['c[0].observedGeneration: Invalid value: -1: must be greater than or equal to zero'],
    ],
    ['has no time', { ...whole, lastTransitionTime: null }, ['c[0].lastTransitionTime: Required value: must be set']],
    ['has no reason', { ...whole, reason: '' }, ['c[0].reason: Required value: must be set']],
    [
      'has sentences for a reason',
      { ...whole, reason: 'As expected.' },
      [
        "c[0].reason: Invalid value: \"As expected.\": a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')",
      ],
    ],
    ['has a long reason', { ...whole, reason: 'a'.repeat(1025) }, ['c[0].reason: Too long: may not be more than 1024 bytes']],
    ['has a long message', { ...whole, message: 'a'.repeat(32769) }, ['c[0].message: Too long: may not be more than 32768 bytes']],
  ]
  for (const [what, condition, expected] of cases) it(`with ${what}`, () => expect(texts(condition)).to.deep.equal(expected))

  const since137: [string, MetaCondition, string[]][] = [
    ['no type', { ...whole, type: '' }, ['c[0].type: Required value: is required']],
    ['no status', { ...whole, status: '' }, ['c[0].status: Required value']],
    [
      'no time and reason',
      { ...whole, lastTransitionTime: null, reason: '' },
      ['c[0].lastTransitionTime: Required value', 'c[0].reason: Required value'],
    ],
  ]
  for (const [what, condition, expected] of since137)
    it(`since 1.37, with ${what}`, () =>
      expect(allWorded(validateMetaConditions([condition], fieldPath('c')), '1.37').map(fieldErrorText)).to.deep.equal(expected))

  it('report a duplicate type at the condition since 1.37', () =>
    expect(allWorded(validateMetaConditions([whole, whole], fieldPath('c')), '1.37').map(fieldErrorText)).to.deep.equal([
      'c[1]: Duplicate value: "Ready"',
    ]))

  it('reports a duplicate type', () =>
    expect(texts(whole, { ...whole, status: 'False' })).to.deep.equal(['c[1].type: Duplicate value: "Ready"']))
})
