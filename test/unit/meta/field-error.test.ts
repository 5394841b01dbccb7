import { expect } from 'chai'
import { quote } from '../../../src/lib/go-quote.ts'
import {
  allWorded,
  duplicate,
  type FieldError,
  fieldErrorText,
  invalid,
  notFound,
  notSupported,
  required,
  verbatim,
} from '../../../src/meta/field-error.ts'
import { fieldPath } from '../../../src/meta/field-path.ts'
import { goIntOrStringValue, goLabelSelector, goStringer, goStringList, goStringMap } from '../../../src/resources/shared/go-syntax.ts'

describe('meta/field-error', () => {
  const quoted: readonly (readonly [text: string, printed: string])[] = [
    ['plain', '"plain"'],
    ['"\\', '"\\"\\\\"'],
    ['a\nb\tc\u0001', '"a\\nb\\tc\\x01"'],
    ['größe, 日本, 🙂', '"größe, 日本, 🙂"'],
    ['a\u200bb', '"a\\u200bb"'],
    ['a\u00a0b\u00ad', '"a\\u00a0b\\u00ad"'],
    ['\u{e0001}', '"\\U000e0001"'],
  ]
  for (const [text, printed] of quoted) it(`quotes ${printed} as Go does`, () => expect(quote(text)).to.equal(printed))

  const path = fieldPath('a')

  it('does not print lists and objects of more than 4,000 values', () => {
    const values = Array.from({ length: 4001 }, (_, i) => `k${i}`)
    const map = Object.fromEntries(values.map(name => [name, 'v']))
    const errors: [FieldError, before: string, since: string][] = [
      [invalid(path, values, 'no'), '"..."', '"..."'],
      [invalid(path, map, 'no'), '"..."', '"..."'],
      [invalid(path, goStringMap(map), 'no'), 'map[string]string{...}', '"..."'],
      [invalid(path, goStringList(values, '[]core.Capability'), 'no'), '[]core.Capability{...}', '"..."'],
      [invalid(path, goLabelSelector({ matchLabels: map }), 'no'), 'v1.LabelSelector{...}', '"..."'],
      [
        invalid(path, goLabelSelector({ matchExpressions: [{ key: 'k', operator: 'In', values }] }), 'no'),
        'v1.LabelSelector{...}',
        '"..."',
      ],
    ]
    for (const [error, before, since] of errors) {
      expect(error.body).to.equal(`Invalid value: ${before}: no`)
      expect(allWorded([error], '1.34').map(({ body }) => body)).to.deep.equal([`Invalid value: ${since}: no`])
    }
    expect(invalid(path, values.slice(1), 'no').body).to.include('"k4000"')
  })

  const ERRORS: [FieldError, before: string, since: string][] = [
    [required(path), 'Required value', 'Required value'],
    [invalid(path, 'x', 'no'), 'Invalid value: "x": no', 'Invalid value: "x": no'],
    [invalid(path, 1, 'no'), 'Invalid value: 1: no', 'Invalid value: 1: no'],
    [invalid(path, null, 'no'), 'Invalid value: "null": no', 'Invalid value: null: no'],
    [invalid(path, ['x', 'y'], 'no'), 'Invalid value: []string{"x", "y"}: no', 'Invalid value: ["x","y"]: no'],
    [
      notSupported(path, undefined, ['b']),
      'Unsupported value: "null": supported values: "b"',
      'Unsupported value: null: supported values: "b"',
    ],
    [duplicate(path, goStringer('cpu')), 'Duplicate value: cpu', 'Duplicate value: "cpu"'],
    [notFound(path, goStringList(undefined)), 'Not found: []string(nil)', 'Not found: null'],
    [
      invalid(path, goStringMap({ b: '1', a: '<' }), ''),
      'Invalid value: map[string]string{"a":"<", "b":"1"}',
      String.raw`Invalid value: {"a":"\u003c","b":"1"}`,
    ],
    [
      invalid(path, goIntOrStringValue('x%'), ''),
      'Invalid value: intstr.IntOrString{Type:1, IntVal:0, StrVal:"x%"}',
      'Invalid value: "x%"',
    ],
    [
      invalid(path, goLabelSelector({ matchLabels: { a: 'b' } }), 'field is immutable'),
      'Invalid value: v1.LabelSelector{MatchLabels:map[string]string{"a":"b"}, MatchExpressions:[]v1.LabelSelectorRequirement(nil)}: field is immutable',
      'Invalid value: {"matchLabels":{"a":"b"}}: field is immutable',
    ],
    [invalid(path, verbatim('x{}'), ''), 'Invalid value: x{}', 'Invalid value: x{}'],
  ]
  for (const [error, before, since] of ERRORS)
    it(`${before}, and since 1.34: ${since}`, () => {
      expect(fieldErrorText(error)).to.equal(`a: ${before}`)
      expect(allWorded([error], '1.34').map(fieldErrorText)).to.deep.equal([`a: ${since}`])
    })
})
