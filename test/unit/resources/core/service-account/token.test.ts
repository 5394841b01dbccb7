import { expect } from 'chai'
import type { ServiceAccountClaims } from '../../../../../src/auth/authn/service-account/claims.ts'
import type { TokenIssuer } from '../../../../../src/auth/authn/service-account/issuer.ts'
import type { VirtualCall } from '../../../../../src/catalog/definition.ts'
import { type Features, parseGates } from '../../../../../src/lifecycle/gates.ts'
import { notFoundError, StatusError } from '../../../../../src/meta/status.ts'
import { createTokenSubresource } from '../../../../../src/resources/core/service-account/token.ts'
import { featuresOf } from '../../../../support/hook-context.ts'
import { answeredObject } from '../../../../support/virtual-answer.ts'

const NOW = Date.parse('2026-01-02T03:04:05Z')
const AT = NOW / 1000
const objects: Record<string, object> = {
  'serviceaccounts/ns/bot': { metadata: { name: 'bot', namespace: 'ns', uid: 'u1' } },
  'pods/ns/p': { metadata: { name: 'p', uid: 'u2' }, spec: { serviceAccountName: 'bot', nodeName: 'n' } },
  'pods/ns/lost': { metadata: { name: 'lost', uid: 'u5' }, spec: { serviceAccountName: 'bot', nodeName: 'gone' } },
  'pods/ns/other': { metadata: { name: 'other', uid: 'u6' }, spec: { serviceAccountName: 'default' } },
  'secrets/ns/s': { metadata: { name: 's', uid: 'u3' } },
  'nodes//n': { metadata: { name: 'n', uid: 'u4' } },
}

function server(options: Partial<TokenIssuer> = {}, features: Features = featuresOf()) {
  const signed: ServiceAccountClaims[] = []
  const warnings: string[] = []
  const issuer: TokenIssuer = {
    name: 'https://issuer',
    serverAudiences: ['here'],
    maxExpirationSeconds: 0,
    extendExpiration: true,
    maxExtendedSeconds: 365 * 24 * 3600,
    sign: async claims => `token ${signed.push(claims as ServiceAccountClaims)}`,
    ...options,
  }
  const api = {
    get: async (gr: { group: string; resource: string }, namespace: string, name: string) => {
      const found = objects[`${gr.resource}/${namespace}/${name}`]
      if (found === undefined) throw notFoundError(gr, name)
      return found
    },
  }
  const ask = async (spec: object = {}, metadata: object = {}, name = 'bot') => {
    const body = { kind: 'TokenRequest', apiVersion: 'authentication.k8s.io/v1', metadata, spec }
    const ctx = { receivedAt: NOW, warn: (text: string) => warnings.push(text) }
    const call = { ctx, verb: 'create', namespace: 'ns', name, body, dryRun: false, api } as unknown as VirtualCall
    return {
      request: answeredObject(await createTokenSubresource(issuer, features).virtual?.call(call)),
      claims: signed.at(-1) as ServiceAccountClaims,
    }
  }
  return { ask, warnings }
}

describe('tokens of service accounts', () => {
  it('are valid for this server and one hour by default', async () => {
    const { request, claims } = await server().ask()
    expect(request.metadata).to.deep.equal({ name: 'bot', namespace: 'ns', creationTimestamp: '2026-01-02T03:04:05Z' })
    expect(request.spec).to.deep.equal({ audiences: ['here'], expirationSeconds: 3600 })
    expect(request.status).to.deep.equal({ token: 'token 1', expirationTimestamp: '2026-01-02T04:04:05Z' })
    const { jti, ...rest } = claims
    expect(jti).to.match(/^[\da-f-]{36}$/)
    expect(rest).to.deep.equal({
      aud: ['here'],
      exp: AT + 3600,
      iat: AT,
      iss: 'https://issuer',
      'kubernetes.io': { namespace: 'ns', serviceaccount: { name: 'bot', uid: 'u1' } },
      nbf: AT,
      sub: 'system:serviceaccount:ns:bot',
    })
    expect(Object.keys(claims)).to.deep.equal(Object.keys(claims).sort())
  })

  it('must be requested with the uid of the account, from 1.34 on', async () => {
    const reason = 'the UID in the token request (x) does not match the UID of the service account (u1)'
    expect((await server().ask({}, { uid: 'x' })).request.metadata.uid).to.equal('x')
    expect((await server({}, parseGates('1.34')).ask()).request.metadata.uid).to.equal('u1')
    const refused = await server({}, parseGates('1.34'))
      .ask({}, { uid: 'x' })
      .catch((error: Error) => error.message)
    expect(refused).to.equal(`Operation cannot be fulfilled on TokenRequest.authentication.k8s.io "bot": ${reason}`)
    const tolerant = server({}, parseGates('1.34', new Map([['TokenRequestServiceAccountUIDValidation', false]])))
    await tolerant.ask({}, { uid: 'x' })
    expect(tolerant.warnings[0]).to.match(/^the UID in the token request \(x\).* is not enabled/)
  })

  const bound: [string, object, object][] = [
    [
      'a pod and its node',
      { kind: 'Pod', apiVersion: 'v1', name: 'p', uid: 'u2' },
      { pod: { name: 'p', uid: 'u2' }, node: { name: 'n', uid: 'u4' } },
    ],
    [
      'a pod on a node that is not there',
      { kind: 'Pod', apiVersion: 'v1', name: 'lost' },
      { pod: { name: 'lost', uid: 'u5' }, node: { name: 'gone' } },
    ],
    ['a secret', { kind: 'Secret', apiVersion: 'v1', name: 's' }, { secret: { name: 's', uid: 'u3' } }],
    ['a node', { kind: 'Node', apiVersion: 'v1', name: 'n' }, { node: { name: 'n', uid: 'u4' } }],
  ]
  for (const [what, boundObjectRef, claims] of bound)
    it(`are bound to ${what}`, async () => expect((await server().ask({ boundObjectRef })).claims['kubernetes.io']).to.deep.include(claims))

  it('requested by kubelets are valid for a year, and contain the time of renewal', async () => {
    const spec = { expirationSeconds: 3607, boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'p' } }
    const { claims, request } = await server().ask(spec)
    expect([claims.exp - AT, claims['kubernetes.io'].warnafter]).to.deep.equal([31_536_000, AT + 3607])
    expect(request.status.expirationTimestamp).to.equal('2026-01-02T04:04:12Z')
    for (const [options, other] of [
      [{ extendExpiration: false }, spec],
      [{}, { ...spec, audiences: ['here', 'there'] }],
      [{}, { ...spec, expirationSeconds: 3606 }],
      [{}, { expirationSeconds: 3607 }],
    ] as const)
      expect((await server(options).ask(other)).claims['kubernetes.io']).not.to.have.property('warnafter')
  })

  it('are shortened to the maximum lifetime, with a warning', async () => {
    const { ask, warnings } = server({ maxExpirationSeconds: 3600 })
    expect((await ask({ expirationSeconds: 7200 })).request.spec.expirationSeconds).to.equal(3600)
    expect(warnings).to.deep.equal(['requested expiration of 7200 seconds shortened to 3600 seconds'])
  })

  const refused: [string, Parameters<ReturnType<typeof server>['ask']>, number, string][] = [
    [
      'nine minutes',
      [{ expirationSeconds: 599 }],
      422,
      'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes',
    ],
    [
      'centuries',
      [{ expirationSeconds: 2 ** 32 + 1 }],
      422,
      'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 4294967297: may not specify a duration larger than 2^32 seconds',
    ],
    [
      'another name in the body',
      [{}, { name: 'x' }],
      422,
      'TokenRequest.authentication.k8s.io "bot" is invalid: metadata.name: Invalid value: "x": must match the service account name if specified',
    ],
    ['an account that is not there', [{}, {}, 'nobody'], 404, 'serviceaccounts "nobody" not found'],
    ['a pod that is not there', [{ boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'x' } }], 404, 'pods "x" not found'],
    [
      'a pod of another account',
      [{ boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'other' } }],
      400,
      'cannot bind token for serviceaccount "bot" to pod running with different serviceaccount name.',
    ],
    [
      'a recreated secret',
      [{ boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name: 's', uid: 'x' } }],
      409,
      'Operation cannot be fulfilled on Secret "s": the UID in the bound object reference (x) does not match the UID in record. The object might have been deleted and then recreated',
    ],
    [
      'an object of another kind',
      [{ boundObjectRef: { kind: 'Deployment', apiVersion: 'apps/v1', name: 'd' } }],
      400,
      'cannot bind token to object of type apps/v1, Kind=Deployment',
    ],
  ]
  for (const [what, args, code, message] of refused)
    it(`are not issued for ${what}`, async () => {
      const error = await server()
        .ask(...args)
        .then(
          () => undefined,
          (thrown: unknown) => thrown,
        )
      expect(error).to.be.instanceOf(StatusError)
      expect([(error as StatusError).code, (error as StatusError).message]).to.deep.equal([code, message])
    })
})
