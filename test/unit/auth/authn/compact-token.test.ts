import { expect } from 'chai'
import { parseCompact, untrustedClaims } from '../../../../src/auth/authn/compact-token.ts'

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
const token = (header: unknown, claims: unknown, signature = 'AAAA'): string => `${part(header)}.${part(claims)}.${signature}`

describe('parseCompact', () => {
  it('returns the parts of a token', () => {
    const text = token({ alg: 'RS256', kid: 'k' }, { iss: 'a' })
    expect(parseCompact(text)).to.deep.equal({ text, algorithm: 'RS256', keyId: 'k', isCritical: false, claims: { iss: 'a' } })
    expect(parseCompact(token({ crit: [] }, {}))).to.deep.include({ algorithm: '', keyId: '', isCritical: true })
  })

  const malformed: Record<string, string> = {
    'two parts': `${part({})}.${part({})}`,
    'four parts': `${token({}, {})}.AAAA`,
    'a header that is not an object': token([], {}),
    'claims that are not an object': token({}, 'a'),
    'an algorithm that is not a string': token({ alg: 1 }, {}),
    'a key ID that is not a string': token({ kid: {} }, {}),
    'a signature that is not base64url': token({}, {}, 'AA+A'),
    'a signature of an impossible length': token({}, {}, 'AAAAA'),
    padding: token({}, {}, 'AAA='),
    'more than 64 KiB': token({ alg: 'RS256' }, { iss: 'a', b: 'c'.repeat(64 * 1024) }),
  }
  for (const [what, text] of Object.entries(malformed)) it(`rejects ${what}`, () => expect(parseCompact(text)).to.equal(undefined))
})

describe('untrustedClaims', () => {
  it('returns the claims, whatever the header and the signature are', () =>
    expect(untrustedClaims(`x.${part({ iss: 'a' })}.?`)).to.deep.equal({ iss: 'a' }))

  it('rejects a token of more than 64 KiB', () => expect(untrustedClaims(token({}, { b: 'c'.repeat(64 * 1024) }))).to.equal(undefined))
})
