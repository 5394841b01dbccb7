import { generateKeyPairSync } from 'node:crypto'
import { expect } from 'chai'
import { parseCompact } from '../../../../src/auth/authn/compact-token.ts'
import { SIGNING_ALGORITHMS } from '../../../../src/auth/authn/jwt/signing-algorithms.ts'
import { isSignedBy } from '../../../../src/auth/authn/token-signature.ts'
import { type SigningKey, signedToken, signingKey } from '../../../support/token-issuer.ts'

const check = (text: string, { publicKey }: SigningKey, algorithms = SIGNING_ALGORITHMS): Promise<boolean> => {
  const token = parseCompact(text)
  if (token === undefined) throw new Error('no token')
  return isSignedBy(token, publicKey, algorithms)
}

describe('isSignedBy', () => {
  for (const algorithm of SIGNING_ALGORITHMS)
    it(`verifies ${algorithm}`, async () => {
      const key = signingKey('k', algorithm)
      const text = signedToken(key, { sub: 'x' })
      expect(await check(text, key)).to.equal(true)
      expect(await check(text, signingKey('k', algorithm))).to.equal(false)
      expect(await check(`${text.slice(0, -8)}AAAAAAAA`, key)).to.equal(false)
    })

  const key = signingKey('k', 'RS256')
  const refused: readonly (readonly [what: string, header: object, algorithms?: readonly string[]])[] = [
    ['an algorithm that is not allowed', {}, ['ES256']],
    ['another algorithm of the same key', { alg: 'RS384' }],
    ['an algorithm of other keys', { alg: 'ES256' }],
    ['no algorithm', { alg: 'none' }],
    ['a secret key', { alg: 'HS256' }, ['HS256']],
    ['critical extensions', { crit: ['b64'], b64: true }],
  ]
  for (const [what, header, algorithms] of refused)
    it(`rejects ${what}`, async () => expect(await check(signedToken(key, { sub: 'x' }, header), key, algorithms)).to.equal(false))

  it('rejects an RSA key of less than 2,048 bits, as RFC 7518 requires', async () => {
    const short = { id: 'k', algorithm: 'RS256', ...generateKeyPairSync('rsa', { modulusLength: 1024 }) }
    expect(await check(signedToken(short, { sub: 'x' }), short)).to.equal(false)
  })
})
