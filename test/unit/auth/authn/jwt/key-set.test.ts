import { expect } from 'chai'
import { parseCompact } from '../../../../../src/auth/authn/compact-token.ts'
import { cacheExpiry } from '../../../../../src/auth/authn/jwt/cache-expiry.ts'
import { RemoteKeySet } from '../../../../../src/auth/authn/jwt/key-set.ts'
import { publicJwk, type SigningKey, signedToken, signingKey } from '../../../../support/token-issuer.ts'

const first = signingKey('first', 'ES256')
const second = signingKey('second', 'ES384')
/** Another key with the ID of the first. */
const forged = signingKey('first', 'ES256')

function world() {
  const state = {
    keys: [first] as readonly SigningKey[],
    code: 200,
    cacheControl: undefined as string | undefined,
    body: undefined as string | undefined,
    now: 1e12,
    asked: 0,
  }
  const observed: (string | undefined)[] = []
  const client = {
    get: async () => {
      state.asked++
      const headers = state.cacheControl === undefined ? {} : { 'cache-control': state.cacheControl }
      return {
        status: `${state.code} X`,
        code: state.code,
        headers,
        body: Buffer.from(state.body ?? JSON.stringify({ keys: state.keys.map(publicJwk) })),
      }
    },
  }
  const keys = new RemoteKeySet(
    'https://issuer/keys',
    client,
    () => state.now,
    body => observed.push(body?.toString()),
  )
  const check = async (key: SigningKey, header: object = {}): Promise<string> => {
    const token = parseCompact(signedToken(key, { sub: 'x' }, header))
    if (token === undefined) throw new Error('no token')
    return keys.check(token).then(
      () => 'good',
      (error: Error) => error.message,
    )
  }
  return { state, observed, check }
}

const NO = 'failed to verify id token signature'

describe('RemoteKeySet', () => {
  it('fetches keys when one is unknown, with one request for all waiting tokens', async () => {
    const { state, check } = world()
    expect(await Promise.all([check(first), check(first), check(first)])).to.deep.equal(['good', 'good', 'good'])
    expect(state.asked).to.equal(1)
    expect(await check(first)).to.equal('good')
    expect(state.asked).to.equal(1)
    state.keys = [second]
    expect([await check(second), await check(first)]).to.deep.equal(['good', NO])
    expect(await check(forged)).to.equal(NO)
  })

  it("rejects a deeply nested key set with Go's message", async () => {
    const { state, check } = world()
    state.body = '['.repeat(1 << 20)
    expect(await check(first)).to.match(/^fetching keys oidc: failed to decode keys: .*invalid character '\[' exceeded max depth/)
  })

  it('rejects a key whose verification would take long', async () => {
    const { state, check } = world()
    const n = 'xyzw'.repeat(86)
    for (const odd of [
      { kty: 'RSA', kid: 'odd', n, e: n },
      { kty: 'RSA', kid: 'odd', n: 'A'.repeat(400_000), e: 'AQAB' },
    ]) {
      state.body = JSON.stringify({ keys: [odd] })
      expect(await check(first, { kid: 'odd' })).to.equal(NO)
    }
  })

  it('tries all keys for a token without key ID, and none for another ID', async () => {
    const { check } = world()
    expect(await check(first, { kid: '' })).to.equal('good')
    expect(await check(first, { kid: 'else' })).to.equal(NO)
    expect(await check(first, { crit: ['exp'] })).to.equal(NO)
    // The signature has another length, or is of another key type.
    expect(await check(first, { alg: 'ES384' })).to.equal(NO)
    expect(await check(first, { alg: 'RS256' })).to.equal(NO)
    expect(await check(first, { alg: 'constructor' })).to.equal(NO)
  })

  it('does not fetch again until shortly before the cached response expires', async () => {
    const { state, check } = world()
    state.cacheControl = 'public, max-age=60'
    await check(first)
    state.keys = [second]
    state.now += 30_000
    expect([await check(second), state.asked]).to.deep.equal([NO, 1])
    state.now += 1
    expect([await check(second), state.asked]).to.deep.equal(['good', 2])
  })

  it('reports an invalid response, and keeps the cached keys', async () => {
    const { state, observed, check } = world()
    await check(first)
    state.code = 503
    state.body = 'down'
    expect([await check(second), await check(first)]).to.deep.equal(['fetching keys oidc: get keys failed: 503 X down', 'good'])
    state.body = 'down'.repeat(1000)
    expect(await check(second)).to.equal(`fetching keys oidc: get keys failed: 503 X ${'down'.repeat(512)}`)
    state.body = 'down'
    state.code = 200
    expect(await check(second)).to.match(
      /^fetching keys oidc: failed to decode keys: expected Content-Type = application\/json, got "": .* down$/,
    )
    state.body = JSON.stringify({ keys: [{ kty: 'XYZ' }] })
    expect(await check(second)).to.equal(
      `fetching keys oidc: failed to decode keys: go-jose/go-jose: unknown json web key type 'XYZ' ${state.body}`,
    )
    state.body = JSON.stringify({ keys: [{ kty: 'oct', k: 'AAAA', kid: 'first' }, publicJwk(second)] })
    expect(await check(second)).to.equal('good')
    expect(observed.map(body => body !== undefined)).to.deep.equal([true, false, false, false, false, true])
  })
})

describe('cacheExpiry', () => {
  const now = Date.parse('2026-01-01T00:00:00Z')
  const date = (seconds: number): string => new Date(now + seconds * 1000).toUTCString()
  const cases: readonly [string, Record<string, string>, number][] = [
    ['nothing', {}, 0],
    ['max-age', { 'cache-control': 'max-age=60' }, now + 60_000],
    ['s-maxage first', { 'cache-control': 'max-age=60, s-maxage="5"' }, now + 5000],
    ['a max-age that is not a number', { 'cache-control': 'max-age=x, private' }, 0],
    ['Expires by the clock of the server', { expires: date(90), date: date(30) }, now + 60_000],
    ['Expires in the past', { expires: '0' }, 0],
    ['Last-Modified as a tenth of the age', { 'last-modified': date(-1000) }, now + 100_000],
    ['Last-Modified as at most a day', { 'last-modified': date(-100 * 86_400) }, now + 86_400_000],
  ]
  for (const [what, headers, wanted] of cases) it(`reads ${what}`, () => expect(cacheExpiry(headers, now)).to.equal(wanted))
})
