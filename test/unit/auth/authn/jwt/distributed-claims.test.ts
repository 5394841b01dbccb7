import { expect } from 'chai'
import { ClaimResolver } from '../../../../../src/auth/authn/jwt/distributed-claims.ts'
import type { IssuerClient } from '../../../../../src/auth/authn/jwt/issuer-client.ts'
import { errorMessage } from '../../../../../src/lib/error-message.ts'

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
const tokenOf = (iss: string): string => `${part({ alg: 'RS256' })}.${part({ iss, aud: 'api', exp: 9e9, groups: ['a'] })}.c2ln`
const settled = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

/** Endpoints return a token of the issuer with the same name. Keys of issuers are found immediately. */
function setUp() {
  const asked: string[] = []
  const client: IssuerClient = {
    async get(url) {
      asked.push(url)
      const at = url.indexOf('/.well-known/')
      const body = at < 0 ? tokenOf(url) : JSON.stringify({ issuer: url.slice(0, at), jwks_uri: `${url.slice(0, at)}/keys` })
      return { code: url.endsWith('/keys') ? 500 : 200, status: '200 OK', headers: {}, body: Buffer.from(body) }
    },
  }
  const resolver = new ClaimResolver({
    client,
    now: () => 0,
    claim: 'groups',
    rules: { audiences: ['api'], algorithms: ['RS256'], release: '1.33', now: () => 0 },
    signal: new AbortController().signal,
    failed: () => {},
  })
  const expand = async (endpoint: string): Promise<string> => {
    const claims = { _claim_names: { groups: 'src' }, _claim_sources: { src: { endpoint } } }
    const why = await resolver.expand(claims).catch(errorMessage)
    await settled()
    return typeof why === 'string' && why.includes('verifier not initialized') ? 'unknown' : 'known'
  }
  return { asked, expand }
}

describe('ClaimResolver', () => {
  it('fetches the keys of an issuer on first use', async () => {
    const { asked, expand } = setUp()
    expect(await expand('https://one')).to.equal('unknown')
    expect(await expand('https://one')).to.equal('known')
    expect(asked.filter(url => url.includes('well-known'))).to.deep.equal(['https://one/.well-known/openid-configuration'])
  })

  it('evicts the least recently used issuer', async () => {
    const { expand } = setUp()
    for (let i = 0; i < 64; i++) await expand(`https://n${i}`)
    expect(await expand('https://n0')).to.equal('known')
    expect(await expand('https://n64')).to.equal('unknown')
    expect(await expand('https://n64')).to.equal('known')
    expect(await expand('https://n0')).to.equal('known')
    expect(await expand('https://n1')).to.equal('unknown')
  })
})
