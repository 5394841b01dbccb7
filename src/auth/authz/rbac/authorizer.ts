import type { NonResourceRule, ResourceRule } from '../../../api/authorization/v1.types.ts'
import { aggregate } from '../../../lib/aggregate.ts'
import { isStepDone, type Steps } from '../../../lib/steps.ts'
import { nextTurn, turnIsSpent } from '../../../lib/turn.ts'
import type { Authorizer, UserRules } from '../../../meta/authorizer.ts'
import { ruleAllows } from './policy.ts'
import type { RuleIndex } from './rule-index.ts'

/** Errors in the reason. A message with those of 100,000 bindings would have megabytes. */
const MOST_ERRORS = 100

function addError(errors: string[], text: string): void {
  if (errors.length < MOST_ERRORS) errors.push(text)
}

/**
 * Allows what a role bound to the user or to one of its groups allows. No opinion otherwise
 * (https://kubernetes.io/docs/reference/access-authn-authz/rbac/). The reason names missing roles.
 */
export const rbacAuthorizer = (index: RuleIndex): Authorizer => ({
  async authorize(user, info) {
    const errors: string[] = []
    for (const { rules, source } of index.grants(user, info.namespace, text => addError(errors, text))) {
      // A user can have a hundred thousand bindings, and a role tens of thousands of rules.
      if (isStepDone() && turnIsSpent()) await nextTurn()
      for (const rule of rules) {
        if (isStepDone() && turnIsSpent()) await nextTurn()
        if (ruleAllows(rule, info)) return { decision: 'allow', reason: `RBAC: allowed by ${source()}`, by: 'RBAC' }
      }
    }
    return { decision: 'no opinion', reason: errors.length === 0 ? '' : `RBAC: ${aggregate(errors)}` }
  },
  *rulesFor(user, namespace): Steps<UserRules> {
    const errors: string[] = []
    const resourceRules: ResourceRule[] = []
    const nonResourceRules: NonResourceRule[] = []
    for (const { rules } of index.grants(user, namespace, text => addError(errors, text))) {
      if (isStepDone()) yield
      for (const { verbs: given, apiGroups, resources, resourceNames, nonResourceURLs } of rules) {
        if (isStepDone()) yield
        const verbs = given ?? []
        if (resources !== undefined && resources.length > 0)
          resourceRules.push({ verbs, ...(apiGroups && { apiGroups }), resources, ...(resourceNames && { resourceNames }) })
        if (nonResourceURLs !== undefined && nonResourceURLs.length > 0) nonResourceRules.push({ verbs, nonResourceURLs })
      }
    }
    return { resourceRules, nonResourceRules, incomplete: false, errors: errors.length === 0 ? [] : [aggregate(errors)] }
  },
})
