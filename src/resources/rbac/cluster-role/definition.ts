import type { LabelSelector } from '../../../api/meta/v1.types.ts'
import type { ClusterRole } from '../../../api/rbac/v1.types.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { ResourceDefinition } from '../../../catalog/definition.ts'
import { isLongStepDone, type Steps } from '../../../lib/steps.ts'
import { type FieldError, invalid, required } from '../../../meta/field-error.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { itemErrors } from '../../../meta/item-errors.ts'
import { labelSelectorErrors, labelSelectorInSteps } from '../../../meta/label-selector.ts'
import { nameIsPathSegment } from '../../../meta/names.ts'
import { ifReadableInSteps } from '../../../meta/selector-error.ts'
import { aggregationSelectors } from '../shared/aggregation.ts'
import { authorizeRole, type EscalationServices } from '../shared/escalation.ts'
import { validateRoleRules } from '../shared/rules-validation.ts'
import { rbacVersion } from '../shared/version.ts'

const PATH = fieldPath('aggregationRule', 'clusterRoleSelectors')

/** Reports whether the selector can be parsed. Invalid values, which an update may keep, can prevent that. */
function* isReadable(selector: LabelSelector): Steps<boolean> {
  return (yield* ifReadableInSteps(labelSelectorInSteps(selector))) !== undefined
}

/**
 * Validates the aggregation rule. With `allowInvalidValues` label values are not validated, but a selector that cannot
 * be parsed is still an error.
 */
function* validateAggregation(role: ClusterRole, allowInvalidValues: boolean): Steps<FieldError[]> {
  if (!role.aggregationRule) return []
  const selectors = aggregationSelectors(role)
  if (selectors.length === 0) return [required(PATH, 'at least one clusterRoleSelector required if aggregationRule is non-nil')]
  return yield* itemErrors(selectors, PATH, function* (selector, path) {
    const errors = yield* labelSelectorErrors(selector, path, { allowInvalidValues })
    return (yield* isReadable(selector)) ? errors : [...errors, invalid(path, null, 'invalid label selector.')]
  })
}

/** Reports whether a selector of a role is invalid. */
function* hasInvalidSelector(role: ClusterRole): Steps<boolean> {
  for (const selector of aggregationSelectors(role)) {
    if (isLongStepDone()) yield
    if ((yield* labelSelectorErrors(selector, PATH)).length > 0) return true
  }
  return false
}

/**
 * Validates a cluster role. An update may keep invalid values in selectors if an old selector is invalid, and reports
 * each error twice, as upstream does.
 */
function* validateClusterRole(next: ClusterRole, old: ClusterRole | undefined): Steps<FieldError[]> {
  const keepValues = old !== undefined && (yield* hasInvalidSelector(old))
  const errors = [...(yield* validateRoleRules(next.rules, false)), ...(yield* validateAggregation(next, keepValues))]
  return old ? [...errors, ...errors] : errors
}

const v1 = rbacVersion<ClusterRole>('ClusterRole', { plural: 'clusterroles', singular: 'clusterrole' })

/**
 * Permissions on all namespaces and cluster-scoped resources, or for bindings in a namespace. `escalation` is undefined
 * if any user may grant any permission. Source of its rules: pkg/registry/rbac/clusterrole.
 */
export const createClusterRoleResource = (escalation?: EscalationServices): ResourceDefinition =>
  defineResource<ClusterRole>({
    scope: 'Cluster',
    versions: [v1],
    hub: v1,
    storage: { prefix: 'clusterroles', version: v1 },
    strategy: {
      allowCreateOnUpdate: true,
      metaRounds: ['whole', 'whole', 'change'],
      validateName: nameIsPathSegment,
      ...(escalation && { authorize: authorizeRole(escalation) }),
      validate: validateClusterRole,
    },
  })
