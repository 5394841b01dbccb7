import { expect } from 'chai'
import { issuerOf } from '../../../../../src/auth/authn/service-account/verify.ts'

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
const tokenOf = (claims: object): string => `${encoded({ alg: 'RS256' })}.${encoded(claims)}.AAAA`

describe('the issuer that a token names', () => {
  it('is read unchecked', () => {
    expect(issuerOf(tokenOf({ iss: 'a' }))).to.equal('a')
  })

  it('is not read of a token that is longer than any', () => {
    expect(issuerOf(tokenOf({ iss: 'a', b: 'c'.repeat(64 * 1024) }))).to.equal('')
  })
})
