import { expect } from 'chai'
import type { JsonSchemaProps } from '../../../../src/api/apiextensions/json-schema-props.ts'
import type { Json } from '../../../../src/api/meta/object.ts'
import { allWorded, fieldErrorText } from '../../../../src/meta/field-error.ts'
import { fieldPath } from '../../../../src/meta/field-path.ts'
import { valueSteps } from '../../../../src/schema/json-schema/validate-value.ts'
import { FIRST_VALUE_RULES, type ValueRules } from '../../../../src/schema/json-schema/value-rules.ts'
import { validateValue, validateValueUpdate } from '../../../support/at-once.ts'
import { countedSteps } from '../../../support/counted-steps.ts'

const wide = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`a${i}`, 1]))

const table: Record<string, [schema: JsonSchemaProps, value: Json, errors: string[]]> = {
  'a text': [{ type: 'string' }, 'x', []],
  'a number for a text': [{ type: 'string' }, 1, ['d: Invalid value: "integer":  in body must be of type string: "integer"']],
  'an integer for a number': [{ type: 'number' }, 1, []],
  'a fraction for an integer': [{ type: 'integer' }, 1.5, ['d: Invalid value: "number":  in body must be of type integer: "number"']],
  'null for a nullable type': [{ type: 'string', nullable: true }, null, []],
  'null for a type that is not nullable': [{ type: 'string' }, null, ['d: Invalid value: "null":  in body must be of type string: "null"']],
  'one of few': [{ type: 'string', enum: ['x', 'y'] }, 'z', ['d: Unsupported value: "z": supported values: "x", "y"']],
  'numbers of few': [{ type: 'integer', enum: [1, 2] }, 2, []],
  'a short text': [{ type: 'string', minLength: 2 }, 'x', ['d: Invalid value: "x":  in body should be at least 2 chars long']],
  'a long text': [{ type: 'string', maxLength: 1 }, 'xy', ['d: Too long: may not be more than 1 bytes']],
  'characters, not bytes': [{ type: 'string', maxLength: 1 }, '😀', []],
  'a number that is too large': [{ type: 'integer', maximum: 5 }, 6, ['d: Invalid value: 6:  in body should be less than or equal to 5']],
  'a number at an open bound': [
    { type: 'integer', minimum: 5, exclusiveMinimum: true },
    5,
    ['d: Invalid value: 5:  in body should be greater than 5'],
  ],
  'a multiple': [{ type: 'number', multipleOf: 0.1 }, 0.3, []],
  'no multiple': [{ type: 'integer', multipleOf: 2 }, 3, ['d: Invalid value: 3:  in body should be a multiple of 2']],
  'a number beyond its format, which bounds nothing': [{ type: 'integer', format: 'int32' }, 2 ** 31, []],
  'a big number': [{ type: 'integer', format: 'int64' }, 2n ** 60n, []],
  'a float that is all but whole, for an integer': [{ type: 'integer' }, 3.000000001, []],
  'a float below zero that is all but whole': [
    { type: 'integer' },
    -3.000000001,
    ['d: Invalid value: "number":  in body must be of type integer: "number"'],
  ],
  'an integer beyond 64 bits': [{ type: 'integer' }, 1e19, ['d: Invalid value: "number":  in body must be of type integer: "number"']],
  'a large float': [
    { type: 'number', maximum: 1e6 },
    1234567.5,
    ['d: Invalid value: 1.2345675e+06:  in body should be less than or equal to 1e+06'],
  ],
  'an integer at a bound with a fraction, which it loses': [
    { type: 'integer', maximum: 2.5 },
    3,
    ['d: Invalid value: 3:  in body should be less than or equal to 2'],
  ],
  'a big number and a factor': [
    { type: 'integer', multipleOf: 3 },
    2n ** 60n,
    ['d: Invalid value: 1152921504606846976:  in body should be a multiple of 3'],
  ],
  'a big factor': [
    { type: 'integer', multipleOf: (2n ** 53n + 1n) as unknown as number },
    1,
    ['d: Invalid value: 1:  in body should be a multiple of 9007199254740992'],
  ],
  'a quotient that is a little below a whole number': [
    { type: 'number', multipleOf: 0.01 },
    4.35,
    ['d: Invalid value: 4.35:  in body should be a multiple of 0.01'],
  ],
  'one of few but for its fraction': [{ type: 'number', enum: [1] }, 1.5, []],
  'the character of one of few': [{ 'x-kubernetes-int-or-string': true, enum: ['A'] }, 65, []],
  'an object of few, with its members in another order and some that are as if absent': [
    { type: 'object', enum: [{ a: [1, {}], b: null, c: wide, d: 'x'.repeat(1000) }] },
    { d: 'x'.repeat(1000), c: { ...wide, none: null, empty: [] }, a: [1, {}] },
    [],
  ],
  'few items': [
    { type: 'array', minItems: 1, items: { type: 'string' } },
    [],
    ['d: Invalid value: 0:  in body should have at least 1 items'],
  ],
  'many items': [{ type: 'array', maxItems: 1 }, [1, 2], ['d: Too many: 2: must have at most 1 items']],
  'a wrong item': [
    { type: 'array', items: { type: 'integer' } },
    [1, 'x'],
    ['d.[1]: Invalid value: "string": [1] in body must be of type integer: "string"'],
  ],
  'a member that is missing': [{ type: 'object', required: ['x'] }, {}, ['d.x: Required value']],
  'a wrong member, deep': [
    { type: 'object', properties: { a: { type: 'object', properties: { b: { type: 'string' } } } } },
    { a: { b: 1 } },
    ['d.a.b: Invalid value: "integer": a.b in body must be of type string: "integer"'],
  ],
  'a wrong value of a map': [
    { type: 'object', additionalProperties: { type: 'string' } },
    { a: 1 },
    ['d.a: Invalid value: "integer": .a in body must be of type string: "integer"'],
  ],
  'a member that is not allowed': [
    { type: 'object', additionalProperties: false },
    { a: 1 },
    ['d: Invalid value: "a": .a in body is a forbidden property'],
  ],
  'none of any': [
    { anyOf: [{ required: ['a'] }, { required: ['b'] }] },
    { c: 1 },
    ['d: Invalid value: "": "" must validate at least one schema (anyOf)', 'd.a: Required value'],
  ],
  'two of one': [
    { oneOf: [{ required: ['a'] }, { required: ['b'] }] },
    { a: 1, b: 1 },
    ['d: Invalid value: "": "" must validate one and only one schema (oneOf). Found 2 valid alternatives'],
  ],
  'not all': [
    { allOf: [{ minimum: 2 }, { minimum: 1 }] },
    1,
    [
      'd: Invalid value: 1:  in body should be greater than or equal to 2',
      'd: Invalid value: "": "" must validate all the schemas (allOf)',
    ],
  ],
  'a value that `not` excludes': [{ not: { minimum: 1 } }, 2, ['d: Invalid value: "": "" must not validate the schema (not)']],
  'a format': [
    { type: 'string', format: 'date' },
    '2026-02-29',
    ['d: Invalid value: "2026-02-29":  in body must be of type date: "2026-02-29"'],
  ],
  'an unknown format': [{ type: 'string', format: 'colour' }, 'x', []],
}

const RANGES: ValueRules = { ...FIRST_VALUE_RULES, checksRanges: true }

describe('ranges of numbers since 1.36', () => {
  const cases: [what: string, schema: JsonSchemaProps, value: Json, errors: string[]][] = [
    ['an int32', { type: 'integer', format: 'int32' }, 2147483647, []],
    [
      'more than an int32',
      { type: 'integer', format: 'int32' },
      2147483648,
      ['Checked value must be of type integer with format int32 in n'],
    ],
    [
      'less than an int32',
      { type: 'integer', format: 'int32' },
      -2147483649,
      ['Checked value must be of type integer with format int32 in n'],
    ],
    ['an int64', { type: 'integer', format: 'int64' }, 2n ** 63n - 1n, []],
    ['more than an int64', { type: 'integer' }, 2 ** 63, ['Checked value must be of type integer (default format) in n']],
    ['an unknown format', { type: 'integer', format: 'int16' }, 40_000, []],
    ['more than a float', { type: 'number', format: 'float' }, 3.5e38, ['Checked value must be of type number with format float in n']],
    ['a double', { type: 'number', format: 'double' }, 1.7e308, []],
    [
      'a bound that is no integer',
      { type: 'integer', maximum: 1.5 },
      1,
      ['Maximum boundary value must be of type integer (default format) in n'],
    ],
    [
      'a factor that is no integer',
      { type: 'integer', multipleOf: 1.5 },
      2,
      ['MultipleOf value must be of type integer (default format) in n', 'n in body should be a multiple of 1.5'],
    ],
  ]
  const texts = (schema: JsonSchemaProps, value: Json, rules?: ValueRules): string[] =>
    validateValue({ n: value }, { type: 'object', properties: { n: schema } }, fieldPath(), rules)
      .filter(({ reason }) => reason === 'FieldValueInvalid')
      .map(({ body }) => body.replace(/^Invalid value: [^:]*: /, ''))
  for (const [what, schema, value, errors] of cases)
    it(what, () => {
      expect(texts(schema, value, RANGES)).to.deep.equal(errors)
      if (schema.multipleOf === undefined) expect(texts(schema, value)).to.deep.equal([])
    })

  it('accept floats that are almost whole on either side since 1.37', () => {
    const almost = 435 * (1 - 1e-12)
    const factor = (rules?: ValueRules): string[] => texts({ type: 'number', multipleOf: 1 }, almost, rules)
    expect(factor()).to.have.length(1)
    expect(factor({ ...RANGES, roundsFloats: true })).to.deep.equal([])
  })
})

describe('validateValue', () => {
  it('indexes very many properties in steps', () => {
    const properties = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`p${i}`, { type: 'string' }]))
    const steps = valueSteps({}, undefined, { type: 'object', properties }, fieldPath('d'), FIRST_VALUE_RULES)
    expect(countedSteps(steps).yields).to.be.at.least(18)
  })

  for (const [name, [schema, value, errors]] of Object.entries(table)) {
    it(name, () => expect(validateValue(value, schema, fieldPath('d')).map(fieldErrorText)).to.deep.equal(errors))
  }
})

describe('validateValue since 1.38', () => {
  const cases: [what: string, schema: JsonSchemaProps, value: Json, before: string, since: string][] = [
    [
      'a short list',
      { type: 'array', minItems: 2 },
      ['a'],
      'Invalid value: 1:  in body should have at least 2 items',
      'Too few: 1: must have at least 2 items',
    ],
    [
      'a small map',
      { type: 'object', minProperties: 1 },
      {},
      'Invalid value: 0:  in body should have at least 1 properties',
      'Too few: 0: must have at least 1 item',
    ],
    [
      'a short text',
      { type: 'string', minLength: 3 },
      'ab',
      'Invalid value: "ab":  in body should be at least 3 chars long',
      'Too short: must be at least 3 characters',
    ],
  ]
  for (const [what, schema, value, before, since] of cases)
    it(`words ${what}`, () => {
      const errors = validateValue(value, schema, fieldPath('d'))
      expect(allWorded(errors, '1.37').map(({ body }) => body)).to.deep.equal([before])
      expect(allWorded(errors, '1.38').map(({ body }) => body)).to.deep.equal([since])
    })
})

describe('validateValue with patterns', () => {
  const schema: JsonSchemaProps = { type: 'string', pattern: '^[a-z]+$' }
  it('accepts a text that matches the pattern', () => expect(validateValue('abc', schema, fieldPath('d'))).to.deep.equal([]))
  it('reports a text that does not match the pattern', () =>
    expect(validateValue('A', schema, fieldPath('d')).map(fieldErrorText)).to.deep.equal([
      'd: Invalid value: "A":  in body should match \'^[a-z]+$\'',
    ]))
  it('accepts integers and strings for int-or-string', () => {
    const both: JsonSchemaProps = { 'x-kubernetes-int-or-string': true }
    const faulty = [1, 'x', 1.5, true].filter(value => validateValue(value, both, fieldPath('d')).length > 0)
    expect(faulty).to.deep.equal([1.5, true])
  })
  it('distinguishes wide objects of an enum that differ late', () => {
    const schema: JsonSchemaProps = { type: 'object', enum: [{ c: wide }, { c: { ...wide, a0: 2 } }] }
    expect(validateValue({ c: { ...wide, a0: 2 } }, schema, fieldPath('d'))).to.deep.equal([])
    expect(validateValue({ c: { ...wide, a1: 2 } }, schema, fieldPath('d'))).to.have.length(1)
  })
  it('names an object as a whole like upstream', () =>
    expect(validateValue({}, { not: {} }, fieldPath()).map(fieldErrorText)).to.deep.equal([
      '<nil>: Invalid value: "": "" must not validate the schema (not)',
    ]))
})

describe('validateValueUpdate', () => {
  const item: JsonSchemaProps = { type: 'object', properties: { k: { type: 'string' }, n: { type: 'integer', minimum: 5 } } }
  const list = (more: object): JsonSchemaProps => ({ type: 'object', properties: { l: { type: 'array', items: item, ...more } } })
  const byKey = list({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] })
  const both: JsonSchemaProps = { type: 'object', properties: { a: { type: 'integer', minimum: 5 }, b: { type: 'integer', minimum: 5 } } }
  const cases: [string, JsonSchemaProps, Json, Json, string[]][] = [
    ['a fault that was there', both, { a: 1 }, { a: 1 }, []],
    ['a fault that was there beside a change', both, { a: 1, b: 7 }, { a: 1, b: 8 }, []],
    ['a null for an absent value', { type: 'object', properties: { a: { type: 'string' } } }, {}, { a: null }, ['a']],
    ['a new fault', both, { a: 1, b: 7 }, { a: 1, b: 2 }, ['b']],
    ['another fault in its place', both, { a: 1 }, { a: 2 }, ['a']],
    [
      'a fault in an item that is found by its key',
      byKey,
      { l: [{ k: 'x', n: 1 }] },
      {
        l: [
          { k: 'y', n: 5 },
          { k: 'x', n: 1 },
        ],
      },
      [],
    ],
    ['a fault in an item of another key', byKey, { l: [{ k: 'x', n: 1 }] }, { l: [{ k: 'y', n: 1 }] }, ['l[0].n']],
    ['a fault in a list without keys that has changed', list({}), { l: [{ n: 1 }] }, { l: [{ n: 1 }, { n: 5 }] }, ['l[0].n']],
    ['a fault in a list without keys that has not', list({}), { l: [{ n: 1 }] }, { l: [{ n: 1 }] }, []],
  ]
  for (const [what, schema, old, next, fields] of cases) {
    it(`${fields.length > 0 ? 'reports' : 'does not report'} ${what}`, () =>
      expect(validateValueUpdate(next, old, schema, fieldPath()).map(({ field }) => field)).to.deep.equal(fields))
  }
})
