import { expect } from 'chai'
import type { FieldFacts } from '../../../../hack/releases/field-facts.ts'
import { changeOf, editedLines } from '../../../../hack/releases/struct-changes.ts'
import { parseFieldLines } from '../../../../hack/releases/types-file.ts'

const fieldsOf = (...lines: string[]): { fields: FieldFacts[] } => ({ fields: parseFieldLines(lines).map(({ facts }) => facts) })

/** Applies the change from one line of a module to another to the lines of a declaration. */
function edited(declared: readonly string[], before: string[], after: string[]): readonly string[] {
  const [change] = [...changeOf(fieldsOf(...before), fieldsOf(...after)).values()]
  return change === undefined ? declared : editedLines(declared, change, '1.38').lines
}

describe('lines of a field in a release', () => {
  const CASES: readonly (readonly [title: string, declared: string[], before: string[], after: string[], expected: string[]])[] = [
    ['adds a field', [], [], ['a 1 string?'], ['a 1 string? since(1.38)']],
    ['ends a field', ['a 1 string? since(1.30)'], ['a 1 string?'], [], ['a 1 string? since(1.30) until(1.38)']],
    ['ends the form of a field', ['a 1 string?'], ['a 1 string?'], ['a 1 string'], ['a 1 string? until(1.38)', 'a 1 string since(1.38)']],
    [
      'keeps marks that only the declaration has',
      ['a 1 string? minimum(1) gate(A,own) since(1.36)'],
      ['a 1 string? gate(A)'],
      ['a 1 string gate(A) = "x"'],
      ['a 1 string? minimum(1) gate(A,own) since(1.36) until(1.38)', 'a 1 string minimum(1) gate(A,own) since(1.38) = "x"'],
    ],
    ['edits a line of the same release in place', ['a 1 string? since(1.38)'], ['a 1 string?'], ['a 1 string'], ['a 1 string since(1.38)']],
    ['removes a field that only a preview had', ['a 1 string? since(1.38)'], ['a 1 string?'], [], []],
    [
      'leaves what the declaration states already',
      ['a 1 string optional'],
      ['a 1 string'],
      ['a 1 string optional'],
      ['a 1 string optional'],
    ],
    ['keeps a gate that is no longer stated', ['a 1 string? gate(A)'], ['a 1 string? gate(A)'], ['a 1 string?'], ['a 1 string? gate(A)']],
    [
      'keeps a deprecation that is no longer stated',
      ['a 1 string? deprecated'],
      ['a 1 string? deprecated'],
      ['a 1 string?'],
      ['a 1 string? deprecated'],
    ],
    [
      'replaces list types, also those that began with a release',
      ['a 1 []Part? atomic@1.30'],
      ['a 1 []Part? atomic'],
      ['a 1 []Part? map(name)'],
      ['a 1 []Part? atomic@1.30 until(1.38)', 'a 1 []Part? map(name) since(1.38)'],
    ],
  ]
  for (const [title, declared, before, after, expected] of CASES)
    it(title, () => {
      expect(edited(declared, before, after)).to.deep.equal(expected)
      expect(edited(expected, before, after), 'a second time').to.deep.equal(expected)
    })

  it('asks for a look at a field that comes back', () => {
    const change = changeOf(fieldsOf(), fieldsOf('a 1 string?')).get('a')
    expect(change && editedLines(['a 1 string? until(1.31)'], change, '1.38')).to.deep.equal({
      lines: ['a 1 string? until(1.31)'],
      note: 'an earlier release had this field, too',
    })
  })
})
