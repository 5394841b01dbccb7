import type { Int64 } from '../../api/meta/object.ts'
import type { Condition } from '../../api/meta/v1.types.ts'
import { trimEndOf } from '../../lib/trim.ts'
import { validateMetaConditions } from '../../meta/condition-validation.ts'
import { deepEqual } from '../../meta/equal.ts'
import { type FieldError, immutableError, invalid, notSupported, required, tooMany } from '../../meta/field-error.ts'
import type { FieldPath } from '../../meta/field-path.ts'
import { isDns1123Subdomain, isQualifiedName } from '../../meta/names.ts'
import { validateUnion } from '../shared/union-members.ts'

/**
 * Rules of both kinds. Source: pkg/apis/lifecycle in k8s.io/kubernetes, and declarative validation of
 * lifecycle.k8s.io/v1alpha1.
 */

const MOST_CONDITIONS = 100
/** Form of UIDs. Upper case is not accepted. */
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
/** Suffixes of domains. Each domain without its leading dot is reserved as well. */
const RESERVED = ['.k8s.io', '.kubernetes.io']

/** Validates a key with a domain, such as `acme.io/foo`. */
export function validatePrefixedKey(key: string, path: FieldPath): FieldError[] {
  if (key === '') return [required(path)]
  const faults = isQualifiedName(key)
  if (faults.length > 0) return faults.map(text => invalid(path, key, text))
  return key.includes('/') ? [] : [invalid(path, key, 'must be a domain-prefixed key (such as "acme.io/foo")')]
}

/** Rejects keys with a domain of Kubernetes. */
export function validateUnreserved(key: string, path: FieldPath): FieldError[] {
  const domain = trimEndOf((key.split('/', 1)[0] ?? '').toLowerCase().trim(), '.')
  const isReserved = RESERVED.some(suffix => domain.endsWith(suffix) || domain === suffix.slice(1))
  return isReserved ? [invalid(path, key, `domain names ${RESERVED.map(suffix => `*${suffix}`).join(', ')} are reserved`)] : []
}

/** Validates a required value of an enum. */
export function validateRequiredEnum(value: string, known: readonly string[], path: FieldPath): FieldError[] {
  if (value === '') return [required(path)]
  return known.includes(value) ? [] : [notSupported(path, value, known)]
}

/** Target of an eviction: a pod by name and UID. */
interface Target {
  /** Required, as the only member of a union that may grow. */
  readonly pod?: { readonly name: string; readonly uid: string }
}

/** Validates the target, which is immutable. */
export function validateTarget(target: Target, old: Target | undefined, path: FieldPath): FieldError[] {
  if (old) return deepEqual(target, old) ? [] : [immutableError(path, undefined)]
  const { pod } = target
  if (!pod) return validateUnion(target, ['pod'], path)
  const at = path.child('pod')
  return [
    ...(pod.name === ''
      ? [required(at.child('name'))]
      : isDns1123Subdomain(pod.name).map(text => invalid(at.child('name'), pod.name, text))),
    ...(pod.uid === ''
      ? [required(at.child('uid'))]
      : UUID.test(pod.uid)
        ? []
        : [invalid(at.child('uid'), pod.uid, 'must be a lowercase UUID in 8-4-4-4-12 format')]),
  ]
}

/** Members of the status of both kinds. */
interface ObservedStatus {
  /** Optional. List of at most 100 conditions. */
  readonly conditions?: Condition[]
  /** Optional. The value is 1 or more, and is not removed once it is set. */
  readonly observedGeneration?: Int64
}

/** Validates conditions, and the observed generation, which does not decrease. */
export function validateObserved(
  { conditions, observedGeneration: next }: ObservedStatus,
  old: ObservedStatus,
  path: FieldPath,
): FieldError[] {
  const at = path.child('observedGeneration')
  const before = old.observedGeneration
  const errors: FieldError[] = []
  if (next !== undefined && next < 1) errors.push(invalid(at, next, 'must be greater than or equal to 1'))
  else if (before !== undefined && (next ?? 0) < before) {
    errors.push(invalid(at, next ?? null, `cannot decrement, must be greater than or equal to ${before}`))
  }
  const count = conditions?.length ?? 0
  const list = path.child('conditions')
  return [...errors, ...(count > MOST_CONDITIONS ? [tooMany(list, count, MOST_CONDITIONS)] : validateMetaConditions(conditions, list))]
}
