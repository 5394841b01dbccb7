import { expect } from 'chai'
import type { TokenResult } from '../../../../src/auth/authn/token.ts'
import type { ResourceDefinition, VirtualCall } from '../../../../src/catalog/definition.ts'
import { selfSubjectReviewResource } from '../../../../src/resources/authentication/self-subject-review.ts'
import { createTokenReviewResource } from '../../../../src/resources/authentication/token-review.ts'
import { answeredObject } from '../../../support/virtual-answer.ts'

const JANE = { name: 'jane', uid: 'u', groups: ['dev'], extra: { a: ['b'] } }

async function review(definition: ResourceDefinition, spec: object, version = 'v1') {
  const body = { kind: definition.hub.kind, apiVersion: 'authentication.k8s.io/v1', metadata: {}, spec }
  const call = {
    ctx: { user: JANE, info: { version }, receivedAt: Date.parse('2026-01-02T03:04:05Z') },
    verb: 'create',
    namespace: '',
    name: '',
    body,
    dryRun: false,
  }
  return answeredObject(await definition.virtual?.call(call as unknown as VirtualCall)) as Record<string, unknown>
}

describe('TokenReview', () => {
  const asked: (readonly string[])[] = []
  const tokens = (token: string, audiences: readonly string[]): TokenResult => {
    asked.push(audiences)
    return token === 'good' ? { user: JANE, audiences } : token === 'old' ? { error: 'it is old' } : undefined
  }
  const definition = createTokenReviewResource(tokens, ['here'])
  const user = { username: 'jane', uid: 'u', groups: ['dev'], extra: { a: ['b'] } }
  const cases: [object, object][] = [
    [{ token: 'good' }, { authenticated: true, user, audiences: ['here'] }],
    [
      { token: 'good', audiences: ['there'] },
      { authenticated: true, user, audiences: ['there'] },
    ],
    [{ token: 'old' }, { error: 'it is old' }],
    [{ token: 'bad' }, { error: 'invalid bearer token' }],
  ]
  for (const [spec, status] of cases)
    it(`returns the status of ${JSON.stringify(spec)}`, async () => expect((await review(definition, spec)).status).to.deep.equal(status))
  it('requires a token', () =>
    review(definition, {}).then(
      () => expect.fail('it was taken'),
      error => expect([error.code, error.message]).to.deep.equal([400, 'token is required for TokenReview in authentication']),
    ))
})

describe('SelfSubjectReview', () => {
  it('returns the current user', async () =>
    expect(await review(selfSubjectReviewResource, {})).to.deep.include({
      metadata: { creationTimestamp: '2026-01-02T03:04:05Z' },
      status: { userInfo: { username: 'jane', uid: 'u', groups: ['dev'], extra: { a: ['b'] } } },
    }))

  it('responds in the version of the request', async () =>
    expect(await review(selfSubjectReviewResource, {}, 'v1alpha1')).to.deep.include({ apiVersion: 'authentication.k8s.io/v1alpha1' }))
})
