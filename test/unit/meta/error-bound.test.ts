import { expect } from 'chai'
import { boundedErrors, MOST_ERRORS } from '../../../src/meta/error-bound.ts'
import { invalid, required } from '../../../src/meta/field-error.ts'
import { fieldPath } from '../../../src/meta/field-path.ts'

const path = fieldPath('list')

describe('bounded errors', () => {
  it('are those of the validation, in its order', () => {
    const errors = boundedErrors(() => [required(path.index(1)), required(path.index(0))])
    expect(errors.map(({ field }) => field)).to.deep.equal(['list[1]', 'list[0]'])
  })

  it('end a validation that makes very many, with the first of them', () => {
    let made = 0
    const errors = boundedErrors(() => Array.from({ length: 1_000_000 }, () => required(path.index(made++))))
    expect(made).to.be.lessThan(10_000)
    expect(errors).to.have.length(MOST_ERRORS)
    expect(errors.at(-1)?.field).to.equal(`list[${MOST_ERRORS - 1}]`)
  })

  it('end one that prints a long value again and again', () => {
    const long = 'x'.repeat(1_000_000)
    let made = 0
    const errors = boundedErrors(() => Array.from({ length: 1000 }, () => invalid(path.index(made++), long, 'no')))
    expect(made).to.be.lessThan(20)
    expect(errors.length).to.be.greaterThan(1)
  })

  it('let what else is thrown pass, and count anew each time', () => {
    expect(() =>
      boundedErrors(() => {
        throw new Error('a bug')
      }),
    ).to.throw('a bug')
    for (let i = 0; i < 10; i++) expect(boundedErrors(() => Array.from({ length: 1000 }, () => required(path)))).to.have.length(1000)
  })
})
