import { expect } from 'chai'
import { fieldErrorText, immutableError, invalid, notSupported } from '../../../src/meta/field-error.ts'
import { fieldPath } from '../../../src/meta/field-path.ts'
import { validateNonNegative } from '../../../src/meta/object-meta-validation.ts'
import {
  all,
  anything,
  excluded,
  field,
  fields,
  given,
  mandatory,
  onCreate,
  onUpdate,
  type Rule,
  rules,
  union,
} from '../../../src/meta/rules.ts'

interface Lending {
  readonly type: 'Borrow' | 'Read'
  readonly days?: number
}

interface Book {
  readonly pages?: number
  readonly copies?: number
  readonly title?: string
  readonly lending: Lending
}

const book = (more: Partial<Book> = {}): Book => ({ lending: { type: 'Read' }, ...more })
const NOWHERE = fieldPath()
const unchanged: Rule<unknown> = (value, path, old) => (value === old ? [] : [immutableError(path, value)])
const unknownType = union<Lending, 'type', unknown>('type', { Borrow: anything, Read: anything }, ({ type }, path, known) => [
  notSupported(path.child('type'), type, known),
])

describe('rules', () => {
  const cases: [string, Rule<Book, number>, Book, Book | undefined, string[]][] = [
    ['no rules', all(), book(), undefined, []],
    [
      'a rule of a member',
      field('pages', validateNonNegative),
      book({ pages: -1 }),
      undefined,
      ['pages: Invalid value: -1: must be greater than or equal to 0'],
    ],
    [
      'a rule of several members, in their order',
      fields(['copies', 'pages'], validateNonNegative),
      book({ pages: -1, copies: -2 }),
      undefined,
      ['copies: Invalid value: -2: must be greater than or equal to 0', 'pages: Invalid value: -1: must be greater than or equal to 0'],
    ],
    [
      'rules in the order of the list',
      all(field('title', mandatory('')), field('pages', validateNonNegative), field('title', mandatory('again'))),
      book({ pages: -1 }),
      undefined,
      ['title: Required value', 'pages: Invalid value: -1: must be greater than or equal to 0', 'title: Required value: again'],
    ],
    [
      'the context',
      field('pages', (pages = 0, path, _old, most) => (pages > most ? [invalid(path, pages, '')] : [])),
      book({ pages: 11 }),
      undefined,
      ['pages: Invalid value: 11'],
    ],
    [
      'no rules of an absent value',
      field(
        'title',
        given(() => [invalid(NOWHERE, '', '')]),
      ),
      book(),
      undefined,
      [],
    ],
    [
      'rules of a value that is set',
      field(
        'title',
        given((title, path) => [invalid(path, title, 'too short')]),
      ),
      book({ title: 'a' }),
      undefined,
      ['title: Invalid value: "a": too short'],
    ],
    [
      'rules of a mandatory value',
      field('pages', mandatory('', validateNonNegative)),
      book({ pages: -1 }),
      undefined,
      ['pages: Invalid value: -1: must be greater than or equal to 0'],
    ],
    ['an excluded value', field('title', excluded('not here')), book({ title: '' }), undefined, ['title: Forbidden: not here']],
    ['no error for the absence of an excluded value', field('title', excluded('not here')), book(), undefined, []],
    ['rules of a create', onCreate(field('title', mandatory(''))), book(), undefined, ['title: Required value']],
    ['no rules of a create in an update', onCreate(field('title', mandatory(''))), book(), book(), []],
    ['no rules of an update on create', onUpdate(field('title', unchanged)), book({ title: 'a' }), undefined, []],
    [
      'a changed member',
      onUpdate(field('title', unchanged)),
      book({ title: 'b' }),
      book({ title: 'a' }),
      ['title: Invalid value: "b": field is immutable'],
    ],
    [
      'a member that is added in an update',
      onUpdate(field('title', unchanged)),
      book({ title: 'b' }),
      book(),
      ['title: Invalid value: "b": field is immutable'],
    ],
    [
      'a member of a member, with its previous value',
      onUpdate(field('lending', field('days', unchanged))),
      book({ lending: { type: 'Borrow', days: 3 } }),
      book({ lending: { type: 'Borrow', days: 2 } }),
      ['lending.days: Invalid value: 3: field is immutable'],
    ],
    [
      'the case of a union',
      field(
        'lending',
        union('type', { Borrow: field('days', mandatory('')), Read: field('days', excluded('')) }, () => []),
      ),
      book({ lending: { type: 'Read', days: 1 } }),
      undefined,
      ['lending.days: Forbidden'],
    ],
    [
      'an unknown case of a union, with the known ones',
      field('lending', unknownType),
      JSON.parse('{"lending":{"type":"toString"}}'),
      undefined,
      ['lending.type: Unsupported value: "toString": supported values: "Borrow", "Read"'],
    ],
  ]
  for (const [what, rule, next, old, errors] of cases)
    it(`apply ${what}`, () => expect(rules<Book, number>()(rule)(next, old, 10).map(fieldErrorText)).to.deep.equal(errors))

  it('return a new list each time', () => {
    const validate = rules<Book>()(anything)
    validate(book(), undefined, undefined).push(invalid(NOWHERE, '', ''))
    expect(validate(book(), undefined, undefined)).to.deep.equal([])
  })

  it('do not change the lists that rules return', () => {
    const shared = Object.freeze([immutableError(NOWHERE, 1)])
    expect(
      rules<Book>()(
        () => shared,
        () => shared,
      )(book(), undefined, undefined),
    ).to.have.length(2)
    expect(shared).to.have.length(1)
  })
})
