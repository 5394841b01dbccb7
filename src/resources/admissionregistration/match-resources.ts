import type { MatchResources } from '../../api/admissionregistration/v1.types.ts'
import { enumValues } from '../../catalog/types.ts'
import type { Steps } from '../../lib/steps.ts'
import type { FieldError } from '../../meta/field-error.ts'
import { notSupported, required } from '../../meta/field-error.ts'
import type { FieldPath } from '../../meta/field-path.ts'
import { itemErrors } from '../../meta/item-errors.ts'
import { labelSelectorErrors } from '../../meta/label-selector.ts'
import { setRuleDefaults, validateNamedRule } from './rules.ts'

export const MATCH_POLICIES = enumValues('admissionregistration.MatchPolicyType')

/** Sets the defaults of match resources, if a policy or binding has any. */
export function setMatchResourcesDefaults(match: MatchResources | undefined): void {
  if (!match) return
  match.matchPolicy ??= 'Equivalent'
  match.namespaceSelector ??= {}
  match.objectSelector ??= {}
  setRuleDefaults(match.resourceRules)
  setRuleDefaults(match.excludeResourceRules)
}

/**
 * Validates match resources. They may be absent; otherwise defaults have set selectors and match policy. The validation
 * of policies checks that they match anything.
 */
export function* validateMatchResources(match: MatchResources | undefined, path: FieldPath): Steps<FieldError[]> {
  if (!match) return []
  const { matchPolicy, resourceRules = [], excludeResourceRules = [] } = match
  const errors: FieldError[] = []
  if (matchPolicy === undefined) errors.push(required(path.child('matchPolicy')))
  else if (!MATCH_POLICIES.includes(matchPolicy)) errors.push(notSupported(path.child('matchPolicy'), matchPolicy, MATCH_POLICIES))
  for (const member of ['namespaceSelector', 'objectSelector'] as const) {
    const at = path.child(member)
    errors.push(...(match[member] ? yield* labelSelectorErrors(match[member], at) : [required(at)]))
  }
  return [
    ...errors,
    ...(yield* itemErrors(resourceRules, path.child('resourceRules'), validateNamedRule)),
    ...(yield* itemErrors(excludeResourceRules, path.child('excludeResourceRules'), validateNamedRule)),
  ]
}
