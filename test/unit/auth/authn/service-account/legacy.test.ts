import { expect } from 'chai'
import { signClaims } from '../../../../../src/auth/authn/service-account/issuer.ts'
import { generateSigningKey, readSigningKey } from '../../../../../src/auth/authn/service-account/keys.ts'
import { type LegacyClaims, legacyClaims, legacyTokens } from '../../../../../src/auth/authn/service-account/legacy.ts'
import { notFoundError } from '../../../../../src/meta/status.ts'
import type { AnyObject } from '../../../../support/any-object.ts'

const object = (metadata: object, more: object = {}): AnyObject => ({ kind: '', apiVersion: 'v1', metadata, ...more })
const account = object({ name: 'bot', namespace: 'ns', uid: 'u1' })
const claims = legacyClaims(account, object({ name: 's', namespace: 'ns' }))

describe('legacyTokens', () => {
  let key: ReturnType<typeof readSigningKey>
  let token: string
  before(async () => {
    key = readSigningKey(await generateSigningKey(), 'test')
    token = await signClaims(key, claims)
  })
  const secret = (metadata: object = {}, kept = token) =>
    object({ name: 's', namespace: 'ns', ...metadata }, { data: { token: Buffer.from(kept).toString('base64') } })
  const ask = (objects: Record<string, AnyObject>, asked = token, audiences = ['here']) =>
    legacyTokens({
      keys: async () => [key],
      serverAudiences: ['here'],
      lookUp: async (resource, _namespace, name) => {
        const found = objects[`${resource}/${name}`]
        if (found === undefined) throw notFoundError({ group: '', resource }, name)
        return found
      },
    })(asked, audiences)

  it('names account and secret', () =>
    expect(claims).to.deep.equal({
      iss: 'kubernetes/serviceaccount',
      'kubernetes.io/serviceaccount/namespace': 'ns',
      'kubernetes.io/serviceaccount/secret.name': 's',
      'kubernetes.io/serviceaccount/service-account.name': 'bot',
      'kubernetes.io/serviceaccount/service-account.uid': 'u1',
      sub: 'system:serviceaccount:ns:bot',
    }))

  it('is good while its secret has it', async () =>
    expect(await ask({ 'secrets/s': secret(), 'serviceaccounts/bot': account })).to.deep.equal({
      user: { name: 'system:serviceaccount:ns:bot', uid: 'u1', groups: ['system:serviceaccounts', 'system:serviceaccounts:ns'] },
      audiences: ['here'],
    }))

  it('needs no look-up where none is wanted', async () =>
    expect(await legacyTokens({ keys: async () => [key], serverAudiences: ['here'] })(token, ['here'])).to.have.property('user'))

  const refusals: [string, () => Record<string, AnyObject>, string][] = [
    ['the secret is gone', () => ({ 'serviceaccounts/bot': account }), 'Token has been invalidated'],
    ['the secret is going', () => ({ 'secrets/s': secret({ deletionTimestamp: 'x' }) }), 'Token has been invalidated'],
    ['the secret has another', () => ({ 'secrets/s': secret({}, 'x'), 'serviceaccounts/bot': account }), "Token does not match server's copy"],
    ['the account is gone', () => ({ 'secrets/s': secret() }), 'serviceaccounts "bot" not found'],
    [
      'the account is new',
      () => ({ 'secrets/s': secret(), 'serviceaccounts/bot': object({ uid: 'u2' }) }),
      'ServiceAccount UID (u2) does not match claim (u1)',
    ],
  ]
  for (const [what, objects, error] of refusals) it(`is refused when ${what}`, async () => expect(await ask(objects())).to.deep.equal({ error }))

  it('is refused when its secret says since when', async () => {
    const answer = await ask({ 'secrets/s': secret({ labels: { 'kubernetes.io/legacy-token-invalid-since': '2026-01-01' } }), 'serviceaccounts/bot': account })
    expect(answer).to.have.property('error').that.contains('the token in secret ns/s for service account ns/bot has been marked invalid')
  })

  it('is for this server alone', async () =>
    expect(await ask({ 'secrets/s': secret(), 'serviceaccounts/bot': account }, token, ['there'])).to.have.property('error'))

  it('says whose it is in one way', async () => {
    const wrong: LegacyClaims = { ...claims, sub: 'system:serviceaccount:ns:other' }
    expect(await ask({ 'secrets/s': secret(), 'serviceaccounts/bot': account }, await signClaims(key, wrong))).to.deep.equal({
      error: 'service account token claims could not be validated',
    })
  })
})
