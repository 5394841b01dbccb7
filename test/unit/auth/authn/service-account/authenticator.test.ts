import { expect } from 'chai'
import type { ObjectMeta } from '../../../../../src/api/meta/object.ts'
import { type NodeBinding, serviceAccountTokens, type TokenResource } from '../../../../../src/auth/authn/service-account/authenticator.ts'
import type { ServiceAccountClaims } from '../../../../../src/auth/authn/service-account/claims.ts'
import { signClaims } from '../../../../../src/auth/authn/service-account/issuer.ts'
import { generateSigningKey, readSigningKey } from '../../../../../src/auth/authn/service-account/keys.ts'
import { notFoundError } from '../../../../../src/meta/status.ts'

const NOW = Date.parse('2026-01-02T03:04:05Z')
const AT = NOW / 1000
const claims: ServiceAccountClaims = {
  aud: ['here', 'there'],
  exp: AT + 600,
  iat: AT,
  iss: 'https://issuer',
  jti: 'id-1',
  'kubernetes.io': { namespace: 'ns', serviceaccount: { name: 'bot', uid: 'u1' } },
  nbf: AT,
  sub: 'system:serviceaccount:ns:bot',
}
const bound = (more: object): ServiceAccountClaims => ({ ...claims, 'kubernetes.io': { ...claims['kubernetes.io'], ...more } })

describe('serviceAccountTokens', () => {
  let key: ReturnType<typeof readSigningKey>
  before(async () => {
    key = readSigningKey(await generateSigningKey(), 'test')
  })

  function server(
    objects: Partial<Record<`${TokenResource}/${string}`, ObjectMeta>> = { 'serviceaccounts/bot': { uid: 'u1' } },
    boundToNodes?: NodeBinding,
  ) {
    const state = { now: NOW, objects }
    const tokens = serviceAccountTokens({
      issuers: ['https://issuer', 'https://former'],
      keys: async () => [key],
      lookUp: async (resource, _namespace, name) => {
        const found = state.objects[`${resource}/${name}`]
        if (found === undefined) throw notFoundError({ group: '', resource }, name)
        return found
      },
      now: () => state.now,
      ...(boundToNodes && { boundToNodes }),
    })
    return {
      state,
      ask: async (given: ServiceAccountClaims, audiences = ['here']) => tokens(await signClaims(key, given), audiences),
      tokens,
    }
  }

  it('returns the account and the accepted audiences', async () =>
    expect(await server().ask(claims, ['here', 'elsewhere'])).to.deep.equal({
      user: {
        name: 'system:serviceaccount:ns:bot',
        uid: 'u1',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:ns'],
        extra: { 'authentication.kubernetes.io/credential-id': ['JTI=id-1'] },
      },
      audiences: ['here'],
      source: 'service account',
    }))

  it('notes a token that should have been renewed', async () => {
    const notesOf = async (warnafter: number) => {
      const answer = await server().ask(bound({ warnafter }))
      return answer && 'user' in answer && answer.user.credentialNotes
    }
    expect(await notesOf(AT - 7)).to.deep.equal({
      'authentication.k8s.io/stale-token': 'subject: system:serviceaccount:ns:bot, seconds after warning threshold: 7',
    })
    expect(await notesOf(AT + 7)).to.equal(undefined)
  })

  it('returns pod and node as extra attributes', async () => {
    const { ask } = server({ 'serviceaccounts/bot': { uid: 'u1' }, 'pods/p': { uid: 'u2' } })
    const answer = await ask(bound({ pod: { name: 'p', uid: 'u2' }, node: { name: 'n', uid: 'u3' } }))
    expect(answer && 'user' in answer && answer.user.extra).to.deep.include({
      'authentication.kubernetes.io/pod-name': ['p'],
      'authentication.kubernetes.io/pod-uid': ['u2'],
      'authentication.kubernetes.io/node-name': ['n'],
      'authentication.kubernetes.io/node-uid': ['u3'],
    })
  })

  const account = { 'serviceaccounts/bot': { uid: 'u1' } } as const
  const long = new Date(NOW - 61_000).toISOString()
  const refusals: [string, ServiceAccountClaims, Parameters<typeof server>[0], string][] = [
    ['another audience', { ...claims, aud: ['x'] }, account, 'token audiences ["x"] is invalid for the target audiences ["here"]'],
    ['an expired token', { ...claims, exp: AT - 61 }, account, 'service account token has expired'],
    ['a token that is not valid yet', { ...claims, nbf: AT + 61 }, account, 'service account token is not valid yet'],
    ['a missing account', claims, {}, 'serviceaccounts "bot" not found'],
    ['a recreated account', claims, { 'serviceaccounts/bot': { uid: 'u9' } }, 'service account UID (u9) does not match claim (u1)'],
    [
      'an account that is being deleted',
      claims,
      { 'serviceaccounts/bot': { uid: 'u1', deletionTimestamp: long } },
      'service account ns/bot has been deleted',
    ],
    ['a missing pod', bound({ pod: { name: 'p', uid: 'u2' } }), account, 'service account token has been invalidated'],
    [
      'a recreated secret',
      bound({ secret: { name: 's', uid: 'u2' } }),
      { ...account, 'secrets/s': { uid: 'u9' } },
      'secret UID (u9) does not match service account secret ref claim (u2)',
    ],
    ['a missing node', bound({ node: { name: 'n', uid: 'u2' } }), account, 'service account token has been invalidated'],
  ]
  for (const [what, given, objects, error] of refusals)
    it(`rejects ${what}`, async () => expect(await server(objects).ask(given)).to.deep.equal({ error }))

  it('rejects node-bound tokens while their gate is off, and ignores the binding before 1.29', async () => {
    const ofNode = bound({ node: { name: 'n', uid: 'u2' } })
    expect(await server(account, 'ignored').ask(ofNode)).to.have.property('user')
    expect(await server({ ...account, 'nodes/n': { uid: 'u2' } }, 'refused').ask(ofNode)).to.deep.equal({
      error: 'token is bound to a Node object but the ServiceAccountTokenNodeBindingValidation feature gate is disabled',
    })
    const ofPod = bound({ pod: { name: 'p', uid: 'u2' }, node: { name: 'n', uid: 'u3' } })
    expect(await server({ ...account, 'pods/p': { uid: 'u2' } }, 'refused').ask(ofPod)).to.have.property('user')
  })

  it('allows a clock skew of a minute', async () => {
    expect(await server().ask({ ...claims, exp: AT - 59 })).to.have.property('user')
    expect(await server().ask({ ...claims, nbf: AT + 59 })).to.have.property('user')
  })

  it('looks up objects each time, although the signature is cached', async () => {
    const { ask, state } = server()
    expect(await ask(claims)).to.have.property('user')
    state.objects = {}
    expect(await ask(claims)).to.have.property('error')
    state.objects = { ...account }
    state.now += 3_600_000
    expect(await ask(claims)).to.deep.equal({ error: 'service account token has expired' })
  })

  it('ignores tokens of other issuers and other text', async () => {
    const { ask, tokens } = server()
    expect(await ask({ ...claims, iss: 'https://other' })).to.equal(undefined)
    expect(await ask({ ...claims, iss: 'https://former' })).to.have.property('user')
    for (const text of ['', 'x', 'a.b.c', 'a.e30.c', 'a.eyJpc3MiOjF9.c']) expect(await tokens(text, ['here'])).to.equal(undefined)
  })

  it('rejects other keys and changed claims', async () => {
    const { tokens } = server()
    const other = readSigningKey(await generateSigningKey(), 'test')
    expect(await tokens(await signClaims(other, claims), ['here'])).to.deep.equal({ error: 'invalid signature, no keys found' })
    expect(await tokens(await signClaims({ ...other, id: key.id }, claims), ['here'])).to.deep.equal({
      error: 'go-jose/go-jose: error in cryptographic primitive',
    })
    const [head, , signature] = (await signClaims(key, claims)).split('.')
    const changed = Buffer.from(JSON.stringify({ ...claims, exp: AT + 9999 })).toString('base64url')
    expect(await tokens(`${head}.${changed}.${signature}`, ['here'])).to.have.property('error')
    const none = Buffer.from(JSON.stringify({ alg: 'none' })).toString('base64url')
    expect(await tokens(`${none}.${changed}.`, ['here'])).to.have.property('error')
  })
})
