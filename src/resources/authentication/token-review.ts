import type { TokenReview } from '../../api/authentication/v1.types.ts'
import type { JsonObject } from '../../api/meta/object.ts'
import type { TokenAuthenticator } from '../../auth/authn/token.ts'
import { defineResource } from '../../catalog/define.ts'
import type { ResourceDefinition, Version } from '../../catalog/definition.ts'
import { types } from '../../catalog/types.ts'
import { invariant } from '../../lib/invariant.ts'
import { badRequestError } from '../../meta/status.ts'
import { userInfo } from './user-info.ts'

const v1: Version<TokenReview> = {
  group: 'authentication.k8s.io',
  name: 'v1',
  kind: 'TokenReview',
  names: { plural: 'tokenreviews', singular: 'tokenreview' },
  verbs: ['create'],
  schema: types.type('authentication.TokenReview'),
}

/**
 * Authenticates a token with the server's own authenticators. `serverAudiences` are the audiences of a review that
 * names none.
 */
export const createTokenReviewResource = (tokens: TokenAuthenticator, serverAudiences: readonly string[]): ResourceDefinition =>
  defineResource<TokenReview>({
    scope: 'Cluster',
    versions: [v1],
    hub: v1,
    virtual: {
      async call({ body: review }) {
        invariant(review, 'a request for a review has a body')
        const { token, audiences = [] } = review.spec
        if (token === undefined) throw badRequestError('token is required for TokenReview in authentication')
        const answer = await tokens(token, audiences.length > 0 ? audiences : serverAudiences)
        const status: JsonObject =
          answer && 'user' in answer
            ? { authenticated: true, user: userInfo(answer.user), audiences: [...answer.audiences] }
            : { error: answer?.error ?? 'invalid bearer token' }
        return { code: 201, object: { ...review, status } }
      },
    },
  })
