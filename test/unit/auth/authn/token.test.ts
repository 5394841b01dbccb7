import { Socket } from 'node:net'
import { expect } from 'chai'
import { bearerAuthenticator, bearerToken, firstToken, type TokenResult } from '../../../../src/auth/authn/token.ts'

describe('bearerToken', () => {
  const cases: [string | undefined, string | undefined][] = [
    [undefined, undefined],
    ['Bearer abc', 'abc'],
    ['bearer abc', 'abc'],
    ['Bearer ', undefined],
    ['Basic abc', undefined],
    ['Bearer', undefined],
    ['Bearer  abc', undefined],
    ['Bearer abc def', 'abc'],
  ]
  for (const [header, token] of cases) it(String(header), () => expect(bearerToken(header)).to.equal(token))
})

describe('firstToken', () => {
  const alice: TokenResult = { user: { name: 'alice', groups: [] }, audiences: ['here'] }
  const known = { user: { name: 'alice', groups: ['system:authenticated'] }, audiences: ['here'] }
  const cases: [string, (TokenResult | Promise<TokenResult>)[], TokenResult][] = [
    ['nobody', [], undefined],
    ['the first', [alice, { error: 'bad' }], known],
    ['one that resolves later', [undefined, Promise.resolve(alice)], known],
    ['one after an error', [{ error: 'bad' }, Promise.resolve(undefined), alice], known],
    ['the first error', [undefined, Promise.resolve({ error: 'bad' }), { error: 'worse' }], { error: 'bad' }],
  ]
  for (const [what, answers, wanted] of cases)
    it(what, async () => expect(await firstToken(answers.map(answer => () => answer))('token', ['here'])).to.deep.equal(wanted))
})

describe('bearerAuthenticator', () => {
  const refusals: string[] = []
  const answers: Record<string, TokenResult> = { good: { user: { name: 'alice', groups: [] }, audiences: [] }, old: { error: 'it is old' } }
  const authenticate = bearerAuthenticator(
    token => answers[token],
    ['here'],
    why => refusals.push(why),
  )
  const as = (authorization?: string) =>
    authenticate({ headers: authorization === undefined ? {} : { authorization }, socket: new Socket() })
  it('accepts a known token', () => expect(as('Bearer good')).to.include({ name: 'alice' }))
  it('rejects others, and reports the reason', () => {
    expect([as('Bearer bad'), as('Bearer old')]).to.deep.equal(['rejected', 'rejected'])
    expect(refusals).to.deep.equal(['invalid bearer token', 'it is old'])
  })
  it('ignores requests without a token', () => expect(as()).to.equal(undefined))
  // k8s.io/apiserver, pkg/authentication/request/bearertoken/bearertoken_test.go
  it('ignores a token after several spaces, with a warning', () => {
    const warnings: string[] = []
    const warned = { warn: (text: string) => warnings.push(text) }
    const withHeader = (authorization: string) => authenticate({ headers: { authorization }, socket: new Socket(), warned })
    expect([withHeader('Bearer  good'), withHeader('Bearer good')].map(found => typeof found)).to.deep.equal(['undefined', 'object'])
    expect(warnings).to.deep.equal(['the provided Authorization header contains extra space before the bearer token, and is ignored'])
  })
})
