import type { FieldError } from '../../../meta/field-error.ts'
import { invalid, required, type Verbatim, verbatim } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import type { KubeObject } from '../../../meta/object.ts'
import { goMember, goMemberOnce } from '../../shared/go-values.ts'
import type { ApiStruct, Errors } from '../checks.ts'
import { checkResourceName, checkResourceQuantity, isHugePages } from '../pod-spec/resources.ts'

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
}
const scopeOf = (name: string): ReadonlySet<string> | undefined => (Object.hasOwn(SCOPES, name) ? SCOPES[name] : undefined)
const CONFLICTS = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
] as const
const ONLY_EXISTS =
  "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity"

export function validateQuota(next: KubeObject, old: KubeObject | undefined): FieldError[] {
  const errors: Errors = []
  checkSpec(next.spec ?? {}, errors)
  if (!old) return errors
  const before = new Set<string>(old.spec?.scopes ?? [])
  const scopes: string[] = next.spec?.scopes ?? []
  if (before.size !== new Set(scopes).size || scopes.some(scope => !before.has(scope))) {
    errors.push(invalid(fieldPath('spec', 'scopes'), goMember('core.ResourceQuotaSpec', 'scopes', next.spec?.scopes), 'field is immutable'))
  }
  return errors
}

export function validateQuotaStatus(next: KubeObject): FieldError[] {
  const errors: Errors = []
  checkAmounts(next.status?.hard, fieldPath('status', 'hard'), errors)
  checkAmounts(next.status?.used, fieldPath('status', 'used'), errors)
  return errors
}

function checkAmounts(amounts: Record<string, string> | undefined, path: FieldPath, errors: Errors): void {
  for (const name in amounts) {
    const at = path.key(name)
    checkResourceName(name, at, errors)
    if (!name.includes('/') && !isQuotaResource(name)) errors.push(invalid(at, verbatim(name), 'must be a standard resource for quota'))
    checkResourceQuantity(name, amounts[name] as string, at, errors)
  }
}

function checkSpec(spec: ApiStruct, errors: Errors): void {
  const path = fieldPath('spec')
  checkAmounts(spec.hard, path.child('hard'), errors)
  const resources = Object.keys(spec.hard ?? {})
    .sort()
    .filter(isQuotaResource)
  const scopes: string[] = spec.scopes ?? []
  const scopesPath = path.child('scopes')
  const told = goMemberOnce('core.ResourceQuotaSpec', 'scopes', spec.scopes)
  for (const scope of scopes) {
    const fits = scopeOf(scope)
    if (!fits) errors.push(invalid(scopesPath, told(), 'unsupported scope'))
    for (const name of resources) if (fits && !fits.has(name)) errors.push(invalid(scopesPath, told(), 'unsupported scope applied to resource'))
  }
  checkConflicts(scopes, told, scopesPath, errors)
  if (spec.scopeSelector) checkSelector(spec, resources, told, path.child('scopeSelector', 'matchExpressions'), errors)
}

function checkConflicts(scopes: readonly string[], told: () => Verbatim, path: FieldPath, errors: Errors): void {
  for (const [one, other] of CONFLICTS) if (scopes.includes(one) && scopes.includes(other)) errors.push(invalid(path, told(), 'conflicting scopes'))
}

function checkSelector(spec: ApiStruct, resources: readonly string[], scopes: () => Verbatim, path: FieldPath, errors: Errors): void {
  const selector = goMemberOnce('core.ResourceQuotaSpec', 'scopeSelector', spec.scopeSelector)
  const expressions: ApiStruct[] = spec.scopeSelector.matchExpressions ?? []
  for (const { scopeName = '', operator = '', values = [] } of expressions) {
    const fits = scopeOf(scopeName)
    if (!fits) errors.push(invalid(path.child('scopeName'), scopeName, 'unsupported scope'))
    for (const name of resources) if (fits && !fits.has(name)) errors.push(invalid(path, selector(), 'unsupported scope applied to resource'))
    if (fits && scopeName !== 'PriorityClass' && operator !== 'Exists') errors.push(invalid(path.child('operator'), operator, ONLY_EXISTS))
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
  const names = expressions.map(({ scopeName }) => scopeName as string)
  checkConflicts(names, scopes, path, errors)
}
