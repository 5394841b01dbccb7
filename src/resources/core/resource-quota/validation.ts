import type { ResourceQuota, ResourceQuotaSpec, ScopeSelector } from '../../../api/core/v1.types.ts'
import type { HookContext } from '../../../catalog/strategy.ts'
import { isStepDone, type Steps } from '../../../lib/steps.ts'
import { memberNames } from '../../../lib/wide-objects.ts'
import { isSince, type Release } from '../../../lifecycle/release.ts'
import { asGiven } from '../../../meta/empty-members.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { immutableError, invalid, required, type Verbatim } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { goStringer } from '../../shared/go-syntax.ts'
import { goMember, goMemberOnce } from '../../shared/go-values.ts'
import { isHugePages, validateResourceName, validateResourceQuantity } from '../pod-spec/resources.ts'

/** Both names of requests are valid: `cpu` equals `requests.cpu`. */
const COMPUTE = ['cpu', 'memory', 'limits.cpu', 'limits.memory', 'requests.cpu', 'requests.memory']
const QUOTA_RESOURCES = new Set([
  ...COMPUTE,
  'ephemeral-storage',
  'requests.storage',
  'requests.ephemeral-storage',
  'limits.ephemeral-storage',
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'persistentvolumeclaims',
  'configmaps',
  'services.nodeports',
  'services.loadbalancers',
])
/** Reports whether a name without `count/` is a standard resource of quotas. */
const isQuotaResource = (name: string): boolean => QUOTA_RESOURCES.has(name) || isHugePages(name) || name.startsWith('requests.hugepages-')

const ALL_OF_PODS = new Set(['pods', ...COMPUTE])
/** Resources that each scope can limit. */
const SCOPES: Readonly<Record<string, ReadonlySet<string>>> = {
  BestEffort: new Set(['pods']),
  NotBestEffort: ALL_OF_PODS,
  Terminating: ALL_OF_PODS,
  NotTerminating: ALL_OF_PODS,
  PriorityClass: ALL_OF_PODS,
  CrossNamespacePodAffinity: ALL_OF_PODS,
  VolumeAttributesClass: new Set(['persistentvolumeclaims', 'requests.storage']),
}
/** Scopes whose objects have names, which a selector can match. */
const NAMED = ['PriorityClass', 'VolumeAttributesClass']

/** Returns the resources of a scope, or undefined if the release does not know it. */
type ScopeOf = (name: string) => ReadonlySet<string> | undefined
const scopeIn =
  (release: Release): ScopeOf =>
  name =>
    Object.hasOwn(SCOPES, name) && (name !== 'VolumeAttributesClass' || isSince(release, '1.33')) ? SCOPES[name] : undefined
/** Scopes that exclude each other. A quota with both would match no object. */
const CONFLICTS = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
] as const
const ONLY_EXISTS =
  "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity"

/**
 * Validates a quota. Scopes must be consistent and fit the resources. An update may reorder `scopes` but not change
 * them; `scopeSelector` may change. Source: pkg/apis/core/validation in k8s.io/kubernetes.
 */
export function* validateQuota(next: ResourceQuota, old: ResourceQuota | undefined, { features }: HookContext): Steps<FieldError[]> {
  const errors = yield* validateQuotaSpec(next.spec, scopeIn(features.release))
  if (!old) return errors
  const before = new Set(old.spec.scopes)
  const { scopes = [] } = next.spec
  if (before.size !== new Set(scopes).size || scopes.some(scope => !before.has(scope))) {
    errors.push(immutableError(fieldPath('spec', 'scopes'), goMember('core.ResourceQuotaSpec', 'scopes', asGiven(next.spec, 'scopes'))))
  }
  return errors
}

/** Validates the status: quantities of known resources. Usage may exceed the quota, if the quota was lowered. */
export function* validateQuotaStatus({ status }: ResourceQuota): Steps<FieldError[]> {
  const errors = yield* validateAmounts(status.hard, fieldPath('status', 'hard'))
  return errors.concat(yield* validateAmounts(status.used, fieldPath('status', 'used')))
}

/** Checks resource names and quantities. Names without a prefix must be standard resources. */
function* validateAmounts(amounts: Readonly<Record<string, string>> = {}, path: FieldPath): Steps<FieldError[]> {
  const errors: FieldError[] = []
  for (const name of yield* memberNames(amounts)) {
    if (isStepDone()) yield
    const quantity = amounts[name] ?? ''
    const at = path.key(name)
    errors.push(...validateResourceName(name, at))
    if (!name.includes('/') && !isQuotaResource(name)) errors.push(invalid(at, goStringer(name), 'must be a standard resource for quota'))
    errors.push(...validateResourceQuantity(name, quantity, at))
  }
  return errors
}

/**
 * Checks that a known scope can limit every standard resource of `hard`, with one error for each that it cannot. An
 * unknown scope is one error. Other names, such as `count/pods`, are not checked.
 */
function* validateQuotaSpec(spec: ResourceQuotaSpec, scopeOf: ScopeOf): Steps<FieldError[]> {
  const path = fieldPath('spec')
  const { hard = {}, scopes = [], scopeSelector } = spec
  const errors = yield* validateAmounts(hard, path.child('hard'))
  const resources = (yield* memberNames(hard)).filter(isQuotaResource).sort()
  const scopesPath = path.child('scopes')
  const shown = goMemberOnce('core.ResourceQuotaSpec', 'scopes', asGiven(spec, 'scopes'))
  for (const scope of scopes) {
    const fits = scopeOf(scope)
    if (!fits) errors.push(invalid(scopesPath, shown(), 'unsupported scope'))
    for (const name of resources)
      if (fits && !fits.has(name)) errors.push(invalid(scopesPath, shown(), 'unsupported scope applied to resource'))
  }
  errors.push(...validateConflicts(scopes, shown, scopesPath))
  if (scopeSelector)
    errors.push(...validateSelector({ scopeSelector, resources, scopes: shown, scopeOf }, path.child('scopeSelector', 'matchExpressions')))
  return errors
}

const validateConflicts = (scopes: readonly string[], shown: () => Verbatim, path: FieldPath): FieldError[] =>
  CONFLICTS.filter(([one, other]) => scopes.includes(one) && scopes.includes(other)).map(() => invalid(path, shown(), 'conflicting scopes'))

interface SelectorParts {
  readonly scopeSelector: ScopeSelector
  readonly resources: readonly string[]
  /** Prints `spec.scopes` for messages. */
  readonly scopes: () => Verbatim
  readonly scopeOf: ScopeOf
}

/**
 * Validates the scope selector. Only scopes with names accept operators other than Exists. Values require In or NotIn.
 * The error of a conflict shows spec.scopes, not the selector.
 */
function validateSelector({ scopeSelector, resources, scopes, scopeOf }: SelectorParts, path: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  const selector = goMemberOnce('core.ResourceQuotaSpec', 'scopeSelector', scopeSelector)
  const expressions = scopeSelector.matchExpressions ?? []
  for (const { scopeName, operator, values = [] } of expressions) {
    const fits = scopeOf(scopeName)
    if (!fits) errors.push(invalid(path.child('scopeName'), scopeName, 'unsupported scope'))
    for (const name of resources)
      if (fits && !fits.has(name)) errors.push(invalid(path, selector(), 'unsupported scope applied to resource'))
    if (fits && !NAMED.includes(scopeName) && operator !== 'Exists') errors.push(invalid(path.child('operator'), operator, ONLY_EXISTS))
    if (operator === 'In' || operator === 'NotIn') {
      if (values.length === 0) {
        errors.push(required(path.child('values'), "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"))
      }
    } else if (operator === 'Exists' || operator === 'DoesNotExist') {
      if (values.length > 0) {
        errors.push(
          invalid(path.child('values'), values, "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector"),
        )
      }
    } else {
      errors.push(invalid(path.child('operator'), operator, 'not a valid selector operator'))
    }
  }
  const names = expressions.map(({ scopeName }) => scopeName)
  return [...errors, ...validateConflicts(names, scopes, path)]
}
