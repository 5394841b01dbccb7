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
