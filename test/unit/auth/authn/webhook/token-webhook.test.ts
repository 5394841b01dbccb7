import { expect } from 'chai'
import type { TokenResult } from '../../../../../src/auth/authn/token.ts'
import { cachedTokens } from '../../../../../src/auth/authn/token-cache.ts'
import { TokenCacheMetrics } from '../../../../../src/auth/authn/token-cache-metrics.ts'
import { tokenWebhook } from '../../../../../src/auth/authn/webhook/token-webhook.ts'
import { webhookBackoff } from '../../../../../src/clients/backoff.ts'
import type { CallResponse } from '../../../../../src/clients/destination.ts'
import { RemoteCallError } from '../../../../../src/clients/remote-client.ts'
import { silentLogger } from '../../../../../src/lib/log.ts'
import { serverResponse } from '../../../../../src/meta/server-response.ts'

const answer = (status: object): CallResponse => ({ status: 200, headers: {}, body: Buffer.from(JSON.stringify({ status })) })

/** A webhook with the responses of a test. */
function world(serverAudiences: string[] = ['api'], version: 'v1' | 'v1beta1' = 'v1') {
  const asked: object[] = []
  const acts: { next: () => CallResponse } = { next: () => answer({}) }
  const client = {
    post: async (body: string | Buffer) => {
      asked.push(JSON.parse(String(body)))
      return acts.next()
    },
    close: () => {},
  }
  const waits = { random: () => 0, wait: async () => {} }
  return {
    asked,
    acts,
    tokens: tokenWebhook({ client, version, serverAudiences, backoff: webhookBackoff(1), logger: silentLogger, waits }),
  }
}

describe('tokenWebhook', () => {
  it('sends the token and the audiences', async () => {
    for (const version of ['v1', 'v1beta1'] as const) {
      const { asked, tokens } = world(['api'], version)
      await tokens('secret', ['api', 'other'])
      expect(asked).to.deep.equal([
        {
          kind: 'TokenReview',
          apiVersion: `authentication.k8s.io/${version}`,
          metadata: { creationTimestamp: null },
          spec: { token: 'secret', audiences: ['api', 'other'] },
          status: { user: {} },
        },
      ])
    }
  })

  const somebody = { username: 'somebody', uid: '1', groups: ['g'], extra: { foo: ['bar', 'baz'] } }
  const known = { name: 'somebody', uid: '1', groups: ['g'], extra: { foo: ['bar', 'baz'] } }
  // Audiences of the server and the request, and the webhook's response: upstream's TestV1WebhookTokenAuthenticator.
  const cases: [title: string, server: string[], wanted: string[], status: object, answer: TokenResult][] = [
    ['a user', ['api'], ['api'], { authenticated: true, user: somebody }, { user: known, audiences: ['api'], source: 'webhook' }],
    [
      'a user without anything',
      ['api'],
      ['api'],
      { authenticated: true },
      { user: { name: '', groups: [] }, audiences: ['api'], source: 'webhook' },
    ],
    ['nobody', ['api'], ['api'], { authenticated: false }, undefined],
    ['why not', ['api'], ['api'], { authenticated: false, error: 'it is old' }, { error: 'it is old' }],
    ['an unauthenticated token, with a user', ['api'], ['api'], { authenticated: false, user: somebody }, undefined],
    [
      'a token for these and other audiences',
      ['x'],
      ['a', 'b'],
      { authenticated: true, user: somebody, audiences: ['b', 'c'] },
      { user: known, audiences: ['b'], source: 'webhook' },
    ],
    ['a token for other audiences', ['a'], ['a'], { authenticated: true, user: somebody, audiences: ['c'] }, undefined],
    ['a token for this server, though the review did not request it', ['a'], ['b'], { authenticated: true, user: somebody }, undefined],
    ['without audiences', [], [], { authenticated: true, user: somebody }, { user: known, audiences: [], source: 'webhook' }],
    ['nothing', ['api'], ['api'], {}, undefined],
  ]
  for (const [title, server, wanted, status, expected] of cases)
    it(`${title}`, async () => {
      const { acts, tokens } = world(server)
      acts.next = () => answer(status)
      expect(await tokens('secret', wanted)).to.deep.equal(expected)
    })

  it('rejects a user with more than 1,024 extra attributes', async () => {
    const { acts, tokens } = world()
    const answered = (count: number): Promise<TokenResult> => {
      const extra = Object.fromEntries(Array.from({ length: count }, (_, i) => [`example.com/${i}`, ['v']]))
      acts.next = () => answer({ authenticated: true, user: { ...somebody, extra } })
      return Promise.resolve(tokens('secret', ['api']))
    }
    expect(await answered(1024)).to.have.property('user')
    expect(await answered(1025)).to.deep.equal({ error: 'the user has 1025 extra attributes, more than 1024' })
  })

  const fail = (code: number) => (): never => {
    const status = serverResponse(code, undefined, '')
    throw new RemoteCallError(status.message, { statusCode: code, status })
  }
  for (const [code, calls] of [
    [400, 1],
    [401, 1],
    [404, 1],
    [429, 5],
    [500, 5],
    [503, 1],
    [504, 5],
  ] as const)
    it(`makes ${calls} calls if the response is ${code}`, async () => {
      const { asked, acts, tokens } = world()
      acts.next = fail(code)
      expect(await tokens('secret', ['api'])).to.have.property('error')
      expect(asked).to.have.length(calls)
    })

  it('caches accepted and unknown tokens', async () => {
    const { asked, acts, tokens } = world()
    let now = 0
    const cached = cachedTokens(tokens, { ttlMs: 1000, keepsRefusals: true, now: () => now, metrics: new TokenCacheMetrics() })
    const times = async (): Promise<number> => {
      const before = asked.length
      await cached('secret', ['api'])
      return asked.length - before
    }
    expect([await times(), await times()]).to.deep.equal([1, 0])
    now += 1000
    acts.next = () => answer({ authenticated: true, user: somebody })
    expect([await times(), await times()]).to.deep.equal([1, 0])
    now += 1000
    acts.next = () => answer({ error: 'not now' })
    expect([await times(), await times()], 'failures are not kept').to.deep.equal([1, 1])
    const never = cachedTokens(tokens, { ttlMs: 0, keepsRefusals: true, now: () => now, metrics: new TokenCacheMetrics() })
    await never('other', ['api'])
    const before = asked.length
    await never('other', ['api'])
    expect(asked.length - before).to.equal(1)
  })
})
