import { expect } from 'chai'
import { fieldErrorText } from '../../../src/meta/field-error.ts'
import { fieldPath } from '../../../src/meta/field-path.ts'
import {
  labelSelectorOf,
  labelSelectorSteps,
  matchesLabels,
  parseLabelSelector,
  printLabelRequirements,
  printLabelSelector,
  printLabels,
  validateLabelSelector,
} from '../../../src/meta/label-selector.ts'

describe('label selectors', () => {
  describe('parse and print', () => {
    const cases: Record<string, string> = {
      '': '',
      'a=b': 'a=b',
      'a==b': 'a==b',
      ' a != b , c': 'a!=b,c',
      'b,a': 'a,b',
      'a in (z,y,z)': 'a in (y,z)',
      'a in ()': 'a in ()',
      'a in (,)': 'a in ()',
      'a in (b,,c)': 'a in (,b,c)',
      'a notin (b)': 'a notin (b)',
      '!a': '!a',
      'a=': 'a=',
      'a=,b': 'a=,b',
      'a>1,b<2': 'a>1,b<2',
      'in in (in,notin)': 'in in (in,notin)',
      'a=in': 'a=in',
    }
    for (const [text, printed] of Object.entries(cases)) {
      it(JSON.stringify(text), () => expect(printLabelRequirements(parseLabelSelector(text))).to.equal(printed))
    }
  })

  it('parse the values of one requirement in many steps', () => {
    const values = Array.from({ length: 60_000 }, (_, i) => `v${(i * 7919) % 60_000}`)
    const steps = labelSelectorSteps(`a in (${values.join(',')})`)
    let count = 0
    let next = steps.next()
    for (; !next.done; next = steps.next()) count++
    expect(next.value).to.deep.equal([{ key: 'a', operator: 'in', values: values.sort() }])
    // Some hundred steps for parsing, as many for validation, and those for sorting.
    expect(count).to.be.above(300)
  })

  it('report the first of very many invalid values', () => {
    const values = Array.from({ length: 5000 }, (_, i) => `${10_000 + i}-`)
    expect(() => parseLabelSelector(`a in (${values.join(',')})`))
      .to.throw('values[1999][a]: Invalid value: "11999-"')
      .with.property('message')
      .that.does.not.include('values[2000]')
  })

  describe("reject invalid text with apimachinery's message", () => {
    const name =
      "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
    const cases: Record<string, string> = {
      'a b': "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt",
      ',': "found ',', expected: !, identifier, or 'end of string'",
      'a,': "found '', expected: identifier after ','",
      'a=b c': "found 'c', expected: ',' or 'end of string'",
      'a in b': "unable to parse requirement: found 'b' expected: '('",
      'a in (b': "unable to parse requirement: found '', expected: ',' or ')'",
      '-a': `unable to parse requirement: <nil>: Invalid value: "-a": ${name}`,
      'a=-b': `unable to parse requirement: values[0][a]: Invalid value: "-b": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
      'a>b': `unable to parse requirement: values[0]: Invalid value: "b": for 'Gt', 'Lt' operators, the value must be an integer`,
      '!': "unable to parse requirement: found '', expected: identifier",
      '!a=b': "found '=', expected: ',' or 'end of string'",
    }
    for (const [text, message] of Object.entries(cases)) {
      it(JSON.stringify(text), () => {
        try {
          parseLabelSelector(text)
        } catch (error) {
          return expect((error as Error).message).to.equal(message)
        }
        expect.fail('it parsed')
      })
    }
  })

  describe('match', () => {
    const labels = { a: 'b', n: '5', empty: '' }
    const cases: Record<string, boolean> = {
      '': true,
      'a=b': true,
      'a=c': false,
      'a!=c': true,
      'x!=c': true,
      'a in (b,c)': true,
      'x notin (b)': true,
      'a notin (b)': false,
      a: true,
      empty: true,
      '!a': false,
      '!x': true,
      'n>4': true,
      'n<5': false,
      'a>1': false,
      'a=b,n=6': false,
      constructor: false,
    }
    for (const [text, matches] of Object.entries(cases)) {
      it(JSON.stringify(text), () => expect(matchesLabels(parseLabelSelector(text), labels)).to.equal(matches))
    }
  })

  it('match nothing if absent from an API object, and everything if empty', () => {
    expect(matchesLabels(labelSelectorOf(undefined), { a: 'b' })).to.equal(false)
    expect(matchesLabels(labelSelectorOf({}), { a: 'b' })).to.equal(true)
    expect(() => labelSelectorOf({ matchExpressions: [{ key: 'a', operator: 'Near' }] })).to.throw(
      '"Near" is not a valid label selector operator',
    )
  })

  it('print as in kubectl', () => {
    expect(printLabelSelector(undefined)).to.equal('<none>')
    expect(
      printLabelSelector({ matchLabels: { b: 'c', a: '1' }, matchExpressions: [{ key: 'z', operator: 'NotIn', values: ['y', 'x'] }] }),
    ).to.equal('a=1,b=c,z notin (x,y)')
    expect(printLabelSelector({ matchExpressions: [{ key: 'a', operator: '?' }] })).to.equal('<error>')
    expect(printLabels({ b: '2', a: '1' })).to.equal('a=1,b=2')
    expect(printLabels(undefined)).to.equal('<none>')
  })

  it('are validated field by field', () => {
    const selector = {
      matchLabels: { a: '-' },
      matchExpressions: [
        { key: 'b', operator: 'In' },
        { key: '', operator: 'Exists', values: ['x'] },
        { key: 'c', operator: 'is' },
      ],
    }
    expect(
      validateLabelSelector(selector, fieldPath('spec', 'selector'))
        .map(fieldErrorText)
        .map(text => text.slice(0, 78)),
    ).to.deep.equal([
      'spec.selector.matchLabels: Invalid value: "-": a valid label must be an empty ',
      'spec.selector.matchExpressions[0].values: Required value: must be specified wh',
      'spec.selector.matchExpressions[1].values: Forbidden: may not be specified when',
      'spec.selector.matchExpressions[1].key: Invalid value: "": name part must be no',
      'spec.selector.matchExpressions[1].key: Invalid value: "": name part must consi',
      'spec.selector.matchExpressions[2].operator: Invalid value: "is": not a valid s',
    ])
    expect(validateLabelSelector(undefined, fieldPath('spec'))).to.deep.equal([])
  })
})
