import { expect } from 'chai'
import { signClaims } from '../../../../../src/auth/authn/service-account/issuer.ts'
import { generateSigningKey, readSigningKey, type SigningKey } from '../../../../../src/auth/authn/service-account/keys.ts'
import { issuerOf, Verifier } from '../../../../../src/auth/authn/service-account/verify.ts'

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
const tokenOf = (claims: object): string => `${encoded({ alg: 'RS256' })}.${encoded(claims)}.AAAA`

describe('issuerOf', () => {
  it('returns the unverified issuer', () => {
    expect(issuerOf(tokenOf({ iss: 'a' }))).to.equal('a')
  })

  it('ignores tokens beyond the maximum length', () => {
    expect(issuerOf(tokenOf({ iss: 'a', b: 'c'.repeat(64 * 1024) }))).to.equal('')
  })
})

describe('Verifier', () => {
  const newKey = async (): Promise<SigningKey> => readSigningKey(await generateSigningKey(), 'test')
  const wrong = { error: 'invalid signature, no keys found' }

  it('accepts a token as long as its key is accepted', async () => {
    const [first, second] = [await newKey(), await newKey()]
    let keys: readonly SigningKey[] = [first]
    const verifier = new Verifier(
      async () => keys,
      payload => payload,
    )
    const claims = { iss: 'a', sub: 'b' }
    const token = await signClaims(first, claims as Parameters<typeof signClaims>[1])
    expect(await verifier.claims(token)).to.deep.equal(claims)
    // Fetched again: another object of the same key.
    keys = [{ ...first }, second]
    expect(await verifier.claims(token)).to.deep.equal(claims)
    keys = [second]
    expect(await verifier.claims(token)).to.deep.equal(wrong)
    keys = [first]
    expect(await verifier.claims(token)).to.deep.equal(claims)
    // Another key with the same ID.
    keys = [{ ...second, id: first.id }]
    expect(await verifier.claims(token)).to.deep.equal({ error: 'go-jose/go-jose: error in cryptographic primitive' })
  })
})
