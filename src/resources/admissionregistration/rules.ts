import type { NamedRuleWithOperations, Rule, RuleWithOperations } from '../../api/admissionregistration/v1.types.ts'
import { isStepDone, type Steps } from '../../lib/steps.ts'
import type { FieldError } from '../../meta/field-error.ts'
import { appendErrors, duplicate, invalid, notSupported, required } from '../../meta/field-error.ts'
import type { FieldPath } from '../../meta/field-path.ts'
import { itemErrors, uniqueItemErrors } from '../../meta/item-errors.ts'
import { nameIsPathSegment } from '../../meta/names.ts'
import { goStringList } from '../shared/go-syntax.ts'
import { starStandsAlone } from '../shared/word-lists.ts'

const OPERATIONS = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE']
const SCOPES = ['*', 'Cluster', 'Namespaced']

/** Sets the scope of rules. Default: `*`, namespaced and cluster-scoped resources. */
export function setRuleDefaults(rules: readonly Rule[] = []): void {
  for (const rule of rules) rule.scope ??= '*'
}

/**
 * Validates resources and subresources. A resource that an earlier wildcard covers is rejected. A wildcard that comes
 * later is accepted, unless it covers everything.
 */
function* validateResources(resources: readonly string[], path: FieldPath): Steps<FieldError[]> {
  if (resources.length === 0) return [required(path)]
  const errors: FieldError[] = []
  const withAllSubresources = new Set<string>()
  const ofAllResources = new Set<string>()
  let lastIsPlain = false
  for (const [i, text] of resources.entries()) {
    if (isStepDone()) yield
    if (text === '') {
      errors.push(required(path.index(i)))
      continue
    }
    const slash = text.indexOf('/')
    if (slash < 0) {
      // Only the last resource without a slash decides, as in upstream: `pods, *` is accepted and `*, pods` is not.
      lastIsPlain = text !== '*'
      continue
    }
    const resource = text.slice(0, slash)
    const subresource = text.slice(slash + 1)
    if (withAllSubresources.has(resource))
      errors.push(invalid(path.index(i), text, `if '${resource}/*' is present, must not specify ${text}`))
    if (ofAllResources.has(subresource))
      errors.push(invalid(path.index(i), text, `if '*/${subresource}' is present, must not specify ${text}`))
    if (subresource === '*') withAllSubresources.add(resource)
    if (resource === '*') ofAllResources.add(subresource)
  }
  if (resources.length > 1 && resources.includes('*/*'))
    errors.push(invalid(path, resources, "if '*/*' is present, must not specify other resources"))
  if (resources.includes('*') && lastIsPlain) {
    errors.push(invalid(path, resources, "if '*' is present, must not specify other resources without subresources"))
  }
  return errors
}

/** Validates operations. `*` must be the only one. Unknown operations are reported after that, with their index. */
function* validateOperations(operations: readonly string[], path: FieldPath): Steps<FieldError[]> {
  const errors: FieldError[] = operations.length === 0 ? [required(path)] : []
  if (operations.length > 1 && operations.includes('*')) {
    const printed = goStringList(operations, '[]admissionregistration.OperationType')
    errors.push(invalid(path, printed, "if '*' is present, must not specify other operations"))
  }
  const unknown = yield* itemErrors(operations, path, (operation, at) =>
    OPERATIONS.includes(operation) ? [] : [notSupported(at, operation, OPERATIONS)],
  )
  return [...errors, ...unknown]
}

/**
 * Validates a rule of a webhook or policy. The group may be empty, which is the core group; the other lists have no
 * empty strings. Source: pkg/apis/admissionregistration/validation in k8s.io/kubernetes.
 */
export function* validateWebhookRule(
  { operations = [], apiGroups = [], apiVersions = [], resources = [], scope }: RuleWithOperations,
  path: FieldPath,
): Steps<FieldError[]> {
  const errors = yield* validateOperations(operations, path.child('operations'))
  if (apiGroups.length === 0) errors.push(required(path.child('apiGroups')))
  errors.push(...starStandsAlone(apiGroups, path.child('apiGroups'), 'API groups'))
  if (apiVersions.length === 0) errors.push(required(path.child('apiVersions')))
  errors.push(...starStandsAlone(apiVersions, path.child('apiVersions'), 'API versions'))
  appendErrors(errors, yield* itemErrors(apiVersions, path.child('apiVersions'), (version, at) => (version === '' ? [required(at)] : [])))
  appendErrors(errors, yield* validateResources(resources, path.child('resources')))
  if (scope !== undefined && !SCOPES.includes(scope)) errors.push(notSupported(path.child('scope'), scope, SCOPES))
  return errors
}

/** Validates a rule of a policy, which may be limited to some resource names. */
export function* validateNamedRule(rule: NamedRuleWithOperations, path: FieldPath): Steps<FieldError[]> {
  const errors = yield* uniqueItemErrors(
    rule.resourceNames ?? [],
    path.child('resourceNames'),
    (name, at) => nameIsPathSegment(name, false).map(text => invalid(at, name, text)),
    (name, at) => duplicate(at, name),
  )
  return appendErrors(errors, yield* validateWebhookRule(rule, path))
}
