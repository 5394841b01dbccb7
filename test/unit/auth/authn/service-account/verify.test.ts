import { expect } from 'chai'
import { signClaims } from '../../../../../src/auth/authn/service-account/issuer.ts'
import { generateSigningKey, readSigningKey, type SigningKey } from '../../../../../src/auth/authn/service-account/keys.ts'
import { issuerOf, Verifier } from '../../../../../src/auth/authn/service-account/verify.ts'

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

describe('a token whose signature was found good', () => {
  const newKey = async (): Promise<SigningKey> => readSigningKey(await generateSigningKey(), 'test')
  const wrong = { error: 'invalid signature, no keys found' }

  it('is believed as long as its key is', async () => {
    const [first, second] = [await newKey(), await newKey()]
    let keys: readonly SigningKey[] = [first]
    const verifier = new Verifier(
      async () => keys,
      payload => payload,
    )
    const claims = { iss: 'a', sub: 'b' }
    const token = await signClaims(first, claims as Parameters<typeof signClaims>[1])
    expect(await verifier.claims(token)).to.deep.equal(claims)
    // Fetched anew: another object, of the same key.
    keys = [{ ...first }, second]
    expect(await verifier.claims(token)).to.deep.equal(claims)
    keys = [second]
    expect(await verifier.claims(token)).to.deep.equal(wrong)
    keys = [first]
    expect(await verifier.claims(token)).to.deep.equal(claims)
    // Another key by the same id.
    keys = [{ ...second, id: first.id }]
    expect(await verifier.claims(token)).to.deep.equal({ error: 'go-jose/go-jose: error in cryptographic primitive' })
  })
})
