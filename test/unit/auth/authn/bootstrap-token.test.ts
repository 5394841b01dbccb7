import { expect } from 'chai'
import { bootstrapTokens } from '../../../../src/auth/authn/bootstrap-token.ts'

const NOW = Date.parse('2024-05-01T12:00:00Z')
const TOKEN = 'abcdef.0123456789abcdef'
const GOOD = { 'token-id': 'abcdef', 'token-secret': '0123456789abcdef', 'usage-bootstrap-authentication': 'true' }

/** The result, and the reason of a rejection. */
async function ask(
  data: Record<string, string> | undefined,
  { token = TOKEN, type = 'bootstrap.kubernetes.io/token', metadata = {}, audiences = ['api'] } = {},
) {
  const reasons: string[] = []
  const asked: string[] = []
  const encoded = data && Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')]))
  const secret = {
    kind: 'Secret',
    apiVersion: 'v1',
    metadata: { name: 'bootstrap-token-abcdef', ...metadata },
    type,
    ...(encoded && { data: encoded }),
  }
  const authenticate = bootstrapTokens({
    getSecret: async name => {
      asked.push(name)
      return name === 'bootstrap-token-abcdef' ? secret : undefined
    },
    serverAudiences: ['api'],
    now: () => NOW,
    refused: why => void reasons.push(why.replace('Bootstrap secret kube-system/bootstrap-token-abcdef matching bearer token ', '')),
  })
  const answer = await authenticate(token, audiences)
  return { answer: answer && 'user' in answer ? answer : undefined, why: reasons[0], asked }
}
const user = (...groups: string[]) => ({
  user: { name: 'system:bootstrap:abcdef', groups: ['system:bootstrappers', ...groups] },
  audiences: ['api'],
  source: 'bootstrap token',
})

// Cases of TestTokenAuthenticator in k8s.io/kubernetes, plugin/pkg/auth/authenticator/token/bootstrap.
describe('bootstrap tokens', () => {
  it('authenticate as users of their own', async () => {
    expect((await ask(GOOD)).answer).to.deep.equal(user())
    const more = { ...GOOD, 'auth-extra-groups': 'system:bootstrappers:foo,system:bootstrappers:bar,system:bootstrappers:foo' }
    expect((await ask(more)).answer).to.deep.equal(user('system:bootstrappers:bar', 'system:bootstrappers:foo'))
    expect((await ask({ ...GOOD, expiration: '2024-05-01T12:00:01Z' })).answer).to.deep.equal(user())
  })

  const refused: [string, Parameters<typeof ask>, string | undefined][] = [
    [
      'an extra group without the required prefix',
      [{ ...GOOD, 'auth-extra-groups': 'foo' }],
      'has invalid value for key auth-extra-groups',
    ],
    ['another token secret', [{ ...GOOD, 'token-secret': '0123456789abcdeg' }], 'has invalid value for key token-secret.'],
    ['a longer token secret', [{ ...GOOD, 'token-secret': '0123456789abcdef0' }], 'has invalid value for key token-secret.'],
    ['no token secret', [{ 'token-id': 'abcdef' }], 'has invalid value for key token-secret.'],
    ['another token id', [{ ...GOOD, 'token-id': 'abcdeg' }], 'has invalid value for key token-id.'],
    [
      'a Secret that is being deleted',
      [GOOD, { metadata: { deletionTimestamp: '2024-05-01T12:00:00Z' } }],
      'is deleted and awaiting removal',
    ],
    ['another type of Secret', [GOOD, { type: 'Opaque' }], 'has invalid type, expected bootstrap.kubernetes.io/token.'],
    ['no data', [undefined], 'has invalid type, expected bootstrap.kubernetes.io/token.'],
    [
      'no usage for authentication',
      [{ ...GOOD, 'usage-bootstrap-authentication': 'false' }],
      'not marked usage-bootstrap-authentication=true.',
    ],
    ['an expiration in the past', [{ ...GOOD, expiration: '2024-05-01T12:00:00Z' }], 'has expired.'],
    ['an invalid expiration', [{ ...GOOD, expiration: 'tomorrow' }], 'has expired.'],
    ['a token id without a Secret', [GOOD, { token: 'abcdeg.0123456789abcdef' }], undefined],
    ['another audience', [GOOD, { audiences: ['other'] }], undefined],
  ]
  for (const [what, asked, why] of refused)
    it(`are rejected with ${what}`, async () => {
      const found = await ask(...asked)
      expect(found.answer).to.equal(undefined)
      if (why === undefined) expect(found.why).to.equal(undefined)
      else expect(found.why).to.contain(why)
    })

  it('are ignored without a lookup if they have another form', async () => {
    for (const token of ['', 'abcdef', 'abcdef.', 'ABCDEF.0123456789abcdef', `${TOKEN}\n`, `x${TOKEN}`, 'a.b.c'])
      expect(await ask(GOOD, { token }), JSON.stringify(token)).to.deep.equal({ answer: undefined, why: undefined, asked: [] })
  })
})
