import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import { completeJwt } from '../../../../../src/auth/authn/jwt/configuration.ts'
import { expressionCompiler } from '../../../../../src/auth/authn/jwt/expressions.ts'
import type { Fetched, IssuerClient } from '../../../../../src/auth/authn/jwt/issuer-client.ts'
import { type JwtAuthenticators, jwtAuthenticators } from '../../../../../src/auth/authn/jwt/jwt-authenticators.ts'
import { JwtMetrics } from '../../../../../src/auth/authn/jwt/metrics.ts'
import { SIGNING_ALGORITHMS } from '../../../../../src/auth/authn/jwt/signing-algorithms.ts'
import { validateConfiguration } from '../../../../../src/auth/authn/jwt/validation.ts'
import type { TokenResult } from '../../../../../src/auth/authn/token.ts'
import { aggregate } from '../../../../../src/lib/aggregate.ts'
import { silentLogger } from '../../../../../src/lib/log.ts'
import type { Release } from '../../../../../src/lifecycle/release.ts'
import { fieldErrorText } from '../../../../../src/meta/field-error.ts'
import { TOKEN_NOW, type TokenCase, type TokenExpectation, tokenCases } from '../../../../support/token-cases.ts'
import { publicJwk, type SigningKey, signedToken, signingKey } from '../../../../support/token-issuer.ts'

const URL = 'https://issuer.test'
const JWKS = '/.testing/keys'
const compiler = expressionCompiler()
const made = new Map<string, SigningKey>()

function keyOf({ key, algorithm }: { readonly key: string; readonly algorithm: string }): SigningKey {
  const name = `${key} ${algorithm}`
  const found = made.get(name) ?? signingKey(name, algorithm)
  made.set(name, found)
  return found
}

const found = (body: string, code = 200): Fetched => ({ status: `${code}`, code, headers: {}, body: Buffer.from(body) })

/** The issuer of a case, with the responses of upstream's test server. */
function clientOf({ jwt, keys = [], openIDConfig, responses = {}, signingKey: signing, remote }: TokenCase, asked: string[]): IssuerClient {
  return {
    async get(url, accessToken = '') {
      asked.push(url)
      const path = url.startsWith(URL) ? url.slice(URL.length) : url
      if (path === JWKS) return found(JSON.stringify({ keys: keys.map(key => publicJwk(keyOf(key))) }))
      const claim = path.slice(1)
      if (signing && responses[claim] !== undefined)
        return accessToken === `${claim}_token` ? found(signedToken(keyOf(signing), responses[claim])) : found('', 401)
      if (!path.endsWith('/.well-known/openid-configuration')) return found(`unexpected URL: ${path}`, 404)
      // If upstream's case provides keys, none are fetched.
      const isGiven = remote === undefined && path.startsWith(jwt.issuer?.url ?? '-')
      return found(isGiven || openIDConfig === undefined ? JSON.stringify({ issuer: jwt.issuer?.url, jwks_uri: URL + JWKS }) : openIDConfig)
    },
  }
}

/** Authenticators of a case, or the error. */
function open(given: TokenCase, release: Release, asked: string[]): JwtAuthenticators | string {
  const rules = {
    release,
    structured: true,
    anonymousEndpoints: true,
    egressSelector: true,
    disallowedIssuers: given.disallowed ?? [],
    compiler,
  }
  const { errors, compiled } = validateConfiguration({ jwt: [completeJwt(given.jwt)], anonymous: undefined }, rules)
  if (errors.length > 0) return aggregate(errors.map(error => fieldErrorText(error).replace(/^jwt\[0\]\./, '')))
  return jwtAuthenticators(compiled, [], {
    release,
    algorithms: given.algorithms ?? (given.jwt.issuer?.discoveryURL === undefined ? ['RS256'] : SIGNING_ALGORITHMS),
    now: () => TOKEN_NOW,
    log: silentLogger,
    metrics: new JwtMetrics('test'),
    observeKeys: true,
    clientFor: () => clientOf(given, asked),
  })
}

const isEarly = (answer: TokenResult): boolean =>
  answer !== undefined && 'error' in answer && answer.error.includes('verifier not initialized')

async function outcome(given: TokenCase, release: Release): Promise<TokenExpectation> {
  const issuers = open(given, release, [])
  if (typeof issuers === 'string') return { initError: issuers }
  if (given.signingKey === undefined) throw new Error('no key')
  while (issuers.fault() !== undefined) await turn()
  const token = signedToken(keyOf(given.signingKey), given.claims ?? '')
  let answer = await issuers.authenticate(token, [])
  // Claim issuers are discovered with the first token.
  for (let again = 0; isEarly(answer) && again < 100; again++) {
    await turn()
    answer = await issuers.authenticate(token, [])
  }
  issuers.close()
  if (answer === undefined) return { skip: true }
  if ('error' in answer) return { error: answer.error }
  const { name, groups, uid, extra } = answer.user
  return { user: { name, ...(groups.length > 0 && { groups }), ...(uid && { uid }), ...(extra && { extra }) } }
}

/** Key set that replaces the fetched one in upstream's tests. */
const wordsOf = (wanted: TokenExpectation): TokenExpectation =>
  wanted.error?.endsWith('no keys matches jwk keyid')
    ? { error: wanted.error.replace('no keys matches jwk keyid', 'failed to verify id token signature') }
    : wanted

describe("JWT authentication, upstream's test cases", () => {
  for (const [i, given] of tokenCases(URL).entries()) {
    const { wanted, wantedSince134 = wanted } = given
    if (wanted !== undefined && !wanted.initError?.includes('unsupported signing alg'))
      it(`${i} ${JSON.stringify(wanted).slice(0, 100)}`, async () => expect(await outcome(given, '1.33')).to.deep.equal(wordsOf(wanted)))
    if (wantedSince134 !== undefined && !wantedSince134.initError?.includes('unsupported signing alg'))
      it(`in 1.36: ${i} ${JSON.stringify(wantedSince134).slice(0, 100)}`, async () =>
        expect(await outcome(given, '1.36')).to.deep.equal(wordsOf(wantedSince134)))
  }
})
