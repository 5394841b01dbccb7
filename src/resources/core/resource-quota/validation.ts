import type { HookContext } from '../../../catalog/definition.ts'
import { isSince, type Release } from '../../../lifecycle/release.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { invalid, required, type Verbatim } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { asGiven } from '../../../meta/given-empty.ts'
import { goStringer } from '../../shared/go-syntax.ts'
import { goMember, goMemberOnce } from '../../shared/go-values.ts'
import { isHugePages, validateResourceName, validateResourceQuantity } from '../pod-spec/resources.ts'
import type { ResourceQuota, ResourceQuotaSpec, ScopeSelector } from '../v1.types.ts'

/** Both ways to name what pods ask for: `cpu` is `requests.cpu`. */
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
/** Counts of objects (`count/pods`) have a prefix, and are not among these. */
const isQuotaResource = (name: string): boolean => QUOTA_RESOURCES.has(name) || isHugePages(name) || name.startsWith('requests.hugepages-')

const ALL_OF_PODS = new Set(['pods', ...COMPUTE])
/** Which resources a scope can narrow. */
const SCOPES: Readonly<Record<string, ReadonlySet<string>>> = {
  BestEffort: new Set(['pods']),
  NotBestEffort: ALL_OF_PODS,
  Terminating: ALL_OF_PODS,
  NotTerminating: ALL_OF_PODS,
  PriorityClass: ALL_OF_PODS,
  CrossNamespacePodAffinity: ALL_OF_PODS,
  VolumeAttributesClass: new Set(['persistentvolumeclaims', 'requests.storage']),
}
/** Scopes in which objects have names that a selector can ask for. */
const NAMED = ['PriorityClass', 'VolumeAttributesClass']

/** Undefined: the release does not know the scope. */
type ScopeOf = (name: string) => ReadonlySet<string> | undefined
const scopeIn =
  (release: Release): ScopeOf =>
  name =>
    Object.hasOwn(SCOPES, name) && (name !== 'VolumeAttributesClass' || isSince(release, '1.33')) ? SCOPES[name] : undefined
/** Of two that exclude each other a quota with both would hold nothing. */
const CONFLICTS = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
] as const
const ONLY_EXISTS =
  "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity"

/**
 * Scopes are consistent and fit the resources. On an update they are the old ones, in any order; the scope selector may change. Source: pkg/apis/core/validation
 * in k8s.io/kubernetes.
 */
export function validateQuota(next: ResourceQuota, old: ResourceQuota | undefined, { features }: HookContext): FieldError[] {
  const errors = validateSpec(next.spec, scopeIn(features.release))
  if (!old) return errors
  const before = new Set(old.spec.scopes)
  const { scopes = [] } = next.spec
  if (before.size !== new Set(scopes).size || scopes.some(scope => !before.has(scope))) {
    errors.push(invalid(fieldPath('spec', 'scopes'), goMember('core.ResourceQuotaSpec', 'scopes', asGiven(next.spec, 'scopes')), 'field is immutable'))
  }
  return errors
}

/** Quantities of known resources. Usage above the quota is possible: it was lowered. */
export const validateQuotaStatus = ({ status }: ResourceQuota): FieldError[] => [
  ...validateAmounts(status.hard, fieldPath('status', 'hard')),
  ...validateAmounts(status.used, fieldPath('status', 'used')),
]

/** Names without a prefix are those of the lists above; every quantity is one of its resource. */
function validateAmounts(amounts: Readonly<Record<string, string>> = {}, path: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  for (const [name, quantity] of Object.entries(amounts)) {
    const at = path.key(name)
    errors.push(...validateResourceName(name, at))
    if (!name.includes('/') && !isQuotaResource(name)) errors.push(invalid(at, goStringer(name), 'must be a standard resource for quota'))
    errors.push(...validateResourceQuantity(name, quantity, at))
  }
  return errors
}

/**
 * A known scope must be able to narrow every standard resource of `hard`: each that it cannot is an error. An unknown scope is one error. Names of other
 * resources, such as `count/pods`, are not compared.
 */
function validateSpec(spec: ResourceQuotaSpec, scopeOf: ScopeOf): FieldError[] {
  const path = fieldPath('spec')
  const errors = validateAmounts(spec.hard, path.child('hard'))
  const resources = Object.keys(spec.hard ?? {})
    .sort()
    .filter(isQuotaResource)
  const { scopes = [], scopeSelector } = spec
  const scopesPath = path.child('scopes')
  const shown = goMemberOnce('core.ResourceQuotaSpec', 'scopes', asGiven(spec, 'scopes'))
  for (const scope of scopes) {
    const fits = scopeOf(scope)
    if (!fits) errors.push(invalid(scopesPath, shown(), 'unsupported scope'))
    for (const name of resources) if (fits && !fits.has(name)) errors.push(invalid(scopesPath, shown(), 'unsupported scope applied to resource'))
  }
  errors.push(...validateConflicts(scopes, shown, scopesPath))
  if (scopeSelector) errors.push(...validateSelector({ scopeSelector, resources, scopes: shown, scopeOf }, path.child('scopeSelector', 'matchExpressions')))
  return errors
}

const validateConflicts = (scopes: readonly string[], shown: () => Verbatim, path: FieldPath): FieldError[] =>
  CONFLICTS.filter(([one, other]) => scopes.includes(one) && scopes.includes(other)).map(() => invalid(path, shown(), 'conflicting scopes'))

interface SelectorParts {
  readonly scopeSelector: ScopeSelector
  readonly resources: readonly string[]
  /** As messages show `spec.scopes`. */
  readonly scopes: () => Verbatim
  readonly scopeOf: ScopeOf
}

/** Only scopes with names take an operator other than Exists. Values belong to In and NotIn. The error of a conflict shows spec.scopes, not the selector. */
function validateSelector({ scopeSelector, resources, scopes, scopeOf }: SelectorParts, path: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  const selector = goMemberOnce('core.ResourceQuotaSpec', 'scopeSelector', scopeSelector)
  const expressions = scopeSelector.matchExpressions ?? []
  for (const { scopeName, operator, values = [] } of expressions) {
    const fits = scopeOf(scopeName)
    if (!fits) errors.push(invalid(path.child('scopeName'), scopeName, 'unsupported scope'))
    for (const name of resources) if (fits && !fits.has(name)) errors.push(invalid(path, selector(), 'unsupported scope applied to resource'))
    if (fits && !NAMED.includes(scopeName) && operator !== 'Exists') errors.push(invalid(path.child('operator'), operator, ONLY_EXISTS))
    if (operator === 'In' || operator === 'NotIn') {
      if (values.length === 0) {
        errors.push(required(path.child('values'), "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"))
      }
    } else if (operator === 'Exists' || operator === 'DoesNotExist') {
      if (values.length > 0) {
        errors.push(invalid(path.child('values'), values, "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector"))
      }
    } else {
      errors.push(invalid(path.child('operator'), operator, 'not a valid selector operator'))
    }
  }
  const names = expressions.map(({ scopeName }) => scopeName)
  return [...errors, ...validateConflicts(names, scopes, path)]
}
