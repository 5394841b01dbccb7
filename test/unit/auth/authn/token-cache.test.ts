import { expect } from 'chai'
import type { TokenResult } from '../../../../src/auth/authn/token.ts'
import { cachedTokens } from '../../../../src/auth/authn/token-cache.ts'
import { TokenCacheMetrics } from '../../../../src/auth/authn/token-cache-metrics.ts'

const jane = { user: { name: 'jane', groups: [] }, audiences: [] }

function world(answer: (token: string) => TokenResult | Promise<TokenResult>) {
  const state = { now: 0, asked: 0 }
  const metrics = new TokenCacheMetrics()
  const tokens = cachedTokens(
    token => {
      state.asked++
      return answer(token)
    },
    { ttlMs: 100, now: () => state.now, metrics },
  )
  return { state, tokens, metrics }
}

describe('cachedTokens', () => {
  it('caches results for their lifetime, per audience', async () => {
    const { state, tokens } = world(async () => jane)
    await tokens('a', [])
    expect([await tokens('a', []), state.asked]).to.deep.equal([jane, 1])
    await tokens('a', ['x'])
    expect(state.asked).to.equal(2)
    state.now = 100
    await tokens('a', [])
    expect(state.asked).to.equal(3)
  })

  it('does not confuse tokens and audiences', async () => {
    const { state, tokens } = world(async () => jane)
    for (const [token, audiences] of [
      ['a', ['b', 'c']],
      ['a\u0000b', ['c']],
      ['a', ['b\u0000c']],
      ['a\u0000b\u0000c', []],
      ['a","b', ['c']],
    ] as const)
      await tokens(token, audiences)
    expect(state.asked).to.equal(5)
  })

  it('shares one call among concurrent requests', async () => {
    const { state, tokens } = world(async () => jane)
    await Promise.all([tokens('a', []), tokens('a', []), tokens('a', [])])
    expect(state.asked).to.equal(1)
  })

  it('does not cache rejections', async () => {
    const { state, tokens } = world(async () => ({ error: 'no' }))
    await tokens('a', [])
    expect([await tokens('a', []), state.asked]).to.deep.equal([{ error: 'no' }, 2])
  })

  it('returns synchronously if the authenticator does', () => {
    const { tokens } = world(() => undefined)
    expect(tokens('a', [])).to.equal(undefined)
  })

  it('evicts the oldest of many entries', async () => {
    const { state, tokens } = world(async () => jane)
    for (let i = 0; i <= 4096; i++) await tokens(`t${i}`, [])
    expect(state.asked).to.equal(4097)
    await tokens('t1', [])
    expect(state.asked).to.equal(4097)
    await tokens('t0', [])
    expect(state.asked).to.equal(4098)
  })

  it('evicts the oldest entries if users have many attributes', async () => {
    const { state, tokens } = world(async () => ({
      user: { name: 'jane', groups: ['g'.repeat(1 << 20)], extra: { e: ['x'.repeat(1 << 19)] } },
      audiences: [],
    }))
    for (let i = 0; i < 22; i++) await tokens(`t${i}`, [])
    await tokens('t1', [])
    expect(state.asked).to.equal(22)
    await tokens('t0', [])
    expect(state.asked).to.equal(23)
  })

  it('counts requests, hits and fetches', async () => {
    let answer: (value: TokenResult) => void = () => {}
    const { state, tokens, metrics } = world(() => new Promise(resolve => (answer = resolve)))
    const both = Promise.all([tokens('a', []), tokens('a', [])])
    expect(samples(metrics)).to.deep.equal({ 'active_fetch_count in_flight': 1, 'active_fetch_count blocked': 2 })
    state.now = 20.9
    answer(jane)
    await both
    await tokens('a', [])
    const failing = tokens('b', [])
    answer({ error: 'no' })
    await failing
    expect(samples(metrics)).to.deep.equal({
      'request_duration_seconds_sum miss': 0.04,
      'request_duration_seconds_count miss': 3,
      'request_duration_seconds_sum hit': 0,
      'request_duration_seconds_count hit': 1,
      'request_total miss': 3,
      'request_total hit': 1,
      'fetch_total ok': 1,
      'fetch_total error': 1,
      'active_fetch_count in_flight': 0,
      'active_fetch_count blocked': 0,
    })
  })
})

const samples = ({ families }: TokenCacheMetrics): Record<string, number> =>
  Object.fromEntries(
    families
      .flatMap(family => [...family.samples()])
      .filter(({ le }) => le === undefined)
      .map(({ metricName, labels, value }) => [`${metricName.replace('authentication_token_cache_', '')} ${labels.status}`, value]),
  )
