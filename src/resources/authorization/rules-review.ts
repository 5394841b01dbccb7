import type { SelfSubjectRulesReview } from '../../api/authorization/v1.types.ts'
import type { ResourceDefinition } from '../../catalog/definition.ts'
import { aggregate } from '../../lib/aggregate.ts'
import { runIfSteps, runInTurns } from '../../lib/steps.ts'
import type { Authorizer, UserRules } from '../../meta/authorizer.ts'
import { badRequestError } from '../../meta/status.ts'
import { API_VERSION, reviewResource } from './shared/review.ts'

const NONE: UserRules = { resourceRules: [], nonResourceRules: [], incomplete: false, errors: [] }

/** Lists the rules that the user of the request has in a namespace. The response does not contain the spec. */
export const createSelfSubjectRulesReviewResource = (authorizer: Authorizer): ResourceDefinition =>
  reviewResource<SelfSubjectRulesReview>(
    'SelfSubjectRulesReview',
    { plural: 'selfsubjectrulesreviews', singular: 'selfsubjectrulesreview' },
    'Cluster',
    async ({ ctx }, { kind, spec }) => {
      if (!spec.namespace) throw badRequestError('no namespace on request')
      const rules = runIfSteps(authorizer.rulesFor?.(ctx.user, spec.namespace) ?? NONE)
      const { resourceRules, nonResourceRules, incomplete, errors } = await runInTurns(rules, ctx.signal)
      const status = { resourceRules, nonResourceRules, incomplete, ...(errors.length > 0 && { evaluationError: aggregate(errors) }) }
      return { kind, apiVersion: API_VERSION, metadata: {}, spec: {}, status }
    },
  )
