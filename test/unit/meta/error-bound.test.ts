import { expect } from 'chai'
import { runAtOnce, type Steps } from '../../../src/lib/steps.ts'
import { boundedAtOnce, boundedErrors, MOST_ERRORS } from '../../../src/meta/error-bound.ts'
import { type FieldError, invalid, required } from '../../../src/meta/field-error.ts'
import { fieldPath } from '../../../src/meta/field-path.ts'

const path = fieldPath('list')

describe('bounded errors', () => {
  it('are returned in the order of the validation', () => {
    const errors = boundedAtOnce(() => [required(path.index(1)), required(path.index(0))])
    expect(errors.map(({ field }) => field)).to.deep.equal(['list[1]', 'list[0]'])
  })

  it('end a validation with very many errors, and return the first of them', () => {
    let made = 0
    const errors = boundedAtOnce(() => Array.from({ length: 1_000_000 }, () => required(path.index(made++))))
    expect(made).to.be.lessThan(10_000)
    expect(errors).to.have.length(MOST_ERRORS)
    expect(errors.at(-1)?.field).to.equal(`list[${MOST_ERRORS - 1}]`)
  })

  it('end a validation that prints a long value repeatedly', () => {
    const long = 'x'.repeat(1_000_000)
    let made = 0
    const errors = boundedAtOnce(() => Array.from({ length: 1000 }, () => invalid(path.index(made++), long, 'no')))
    expect(made).to.be.lessThan(20)
    expect(errors.length).to.be.greaterThan(1)
  })

  it('count the errors of all steps of a validation, but not those of others between them', () => {
    function* steps(): Steps<FieldError[]> {
      const errors: FieldError[] = []
      for (let i = 0; ; i++) {
        for (let j = 0; j < 1000; j++) errors.push(required(path.index(i * 1000 + j)))
        yield
      }
    }
    const validation = boundedErrors(steps())
    const other = boundedErrors(steps())
    for (let i = 0; i < 3; i++) {
      expect(validation.next().done).to.equal(false)
      expect(other.next().done).to.equal(false)
      required(path)
    }
    expect(runAtOnce(validation).map(({ field }) => field)).to.deep.equal(Array.from({ length: MOST_ERRORS }, (_, i) => `list[${i}]`))
  })

  it('rethrow other errors, and count from zero each time', () => {
    expect(() =>
      boundedAtOnce(() => {
        throw new Error('a bug')
      }),
    ).to.throw('a bug')
    for (let i = 0; i < 10; i++) expect(boundedAtOnce(() => Array.from({ length: 1000 }, () => required(path)))).to.have.length(1000)
  })
})
