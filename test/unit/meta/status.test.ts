import { expect } from 'chai'
import { invalid } from '../../../src/meta/field-error.ts'
import { fieldPath } from '../../../src/meta/field-path.ts'
import { failure, invalidError, isStatusError, StatusError, undefinedIfNotFound } from '../../../src/meta/status.ts'
import { DeadlineError } from '../../../src/server/http/deadline-error.ts'

const gk = { group: 'apps', kind: 'Deployment' }

describe('the Status of an invalid object', () => {
  it('contains kind, object and field, and a cause for each error', () => {
    const { status } = invalidError(gk, 'web', [invalid(fieldPath('spec', 'replicas'), -1, 'must be greater than or equal to 0')])
    expect(status).to.deep.include({
      code: 422,
      reason: 'Invalid',
      message: 'Deployment.apps "web" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
    })
    expect(status.details).to.deep.equal({
      name: 'web',
      group: 'apps',
      kind: 'Deployment',
      causes: [{ reason: 'FieldValueInvalid', message: 'Invalid value: -1: must be greater than or equal to 0', field: 'spec.replicas' }],
    })
  })

  it('lists a repeated error once in the message, and twice in the causes', () => {
    const error = invalid(fieldPath('a'), 'x', 'bad')
    const { status } = invalidError({ group: '', kind: '' }, '', [error, error])
    expect(status.message).to.equal(' "" is invalid: a: Invalid value: "x": bad')
    expect(status.details?.causes).to.have.length(2)
    expect(status.details).to.not.have.property('kind')
  })

  it('has a limited size, however many errors there are', () => {
    const errors = Array.from({ length: 100_000 }, (_, i) => invalid(fieldPath('data').key(`k${i}`), '', 'bad'))
    expect(invalidError(gk, 'web', errors).status.details?.causes).to.have.length(2000)
  })
})

describe('a StatusError', () => {
  it('is recognized if another copy of the module has made it', () => {
    class OtherError extends Error {
      override readonly name = 'StatusError'
    }
    expect(new OtherError() instanceof StatusError).to.equal(true)
    expect(new Error('StatusError') instanceof StatusError).to.equal(false)
  })

  it('is of a subclass only if that has made it', () => {
    expect(new DeadlineError() instanceof StatusError).to.equal(true)
    expect(failure(404, 'NotFound', 'no') instanceof DeadlineError).to.equal(false)
  })
})

describe('the reason of a StatusError', () => {
  const notFound = failure(404, 'NotFound', 'pods "p" not found')

  it('is compared with several reasons', () => {
    expect(isStatusError(notFound)).to.equal(true)
    expect(isStatusError(notFound, 'Conflict', 'NotFound')).to.equal(true)
    expect(isStatusError(notFound, 'Conflict')).to.equal(false)
    expect(isStatusError(new Error('NotFound'), 'NotFound')).to.equal(false)
  })

  it('makes a rejection undefined if it is NotFound', () => {
    expect(undefinedIfNotFound(notFound)).to.equal(undefined)
    expect(() => undefinedIfNotFound(failure(409, 'Conflict', 'changed'))).to.throw('changed')
  })
})
