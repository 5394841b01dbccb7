import { expect } from 'chai'
import { fieldSpelling, isUserField } from '../../../src/lib/field-spelling.ts'

describe('fieldSpelling', () => {
  it('ignores case and separators', () => expect(fieldSpelling('X_Remote-User1')).to.equal('xremoteuser1'))
})

describe('isUserField', () => {
  for (const name of ['X-Remote-User', 'x_remote_user', 'X-Remote-Groups', 'XRemoteExtra-Scopes', 'X-Remote-Uid'])
    it(`is true for ${name}`, () => expect(isUserField(name)).to.equal(true))
  for (const name of ['X-Remote', 'Remote-User', 'X-Forwarded-User'])
    it(`is false for ${name}`, () => expect(isUserField(name)).to.equal(false))
})
