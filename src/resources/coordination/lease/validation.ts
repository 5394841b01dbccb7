import type { Lease } from '../../../api/coordination/v1.types.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { forbidden, invalid, notSupported } from '../../../meta/field-error.ts'
import { type FieldPath, fieldPath } from '../../../meta/field-path.ts'
import { isQualifiedName } from '../../../meta/names.ts'

/**
 * Validates a lease: durations, counts, and the strategy of coordinated leader election. Times are not compared and may
 * go backwards. Source: pkg/apis/coordination/validation in k8s.io/kubernetes.
 */
export function validateLease({ spec }: Lease): FieldError[] {
  const { leaseDurationSeconds, leaseTransitions, strategy, preferredHolder } = spec
  const path = fieldPath('spec')
  const errors: FieldError[] = []
  if (leaseDurationSeconds !== undefined && leaseDurationSeconds <= 0) {
    errors.push(invalid(path.child('leaseDurationSeconds'), leaseDurationSeconds, 'must be greater than 0'))
  }
  if (leaseTransitions !== undefined && leaseTransitions < 0) {
    errors.push(invalid(path.child('leaseTransitions'), leaseTransitions, 'must be greater than or equal to 0'))
  }
  if (strategy !== undefined) errors.push(...validateLeaseStrategy(strategy, path.child('strategy')))
  if (preferredHolder && !strategy) errors.push(forbidden(path.child('preferredHolder'), 'may only be specified if `strategy` is defined'))
  return errors
}

/**
 * Checks the strategy: a known one, or any with a domain. Errors are reported for `strategy` below the path of the
 * field, as in upstream.
 */
export function validateLeaseStrategy(strategy: string, path: FieldPath): FieldError[] {
  const at = path.child('strategy')
  if (!strategy.includes('/')) return strategy === 'OldestEmulationVersion' ? [] : [notSupported(at, strategy, ['OldestEmulationVersion'])]
  return isQualifiedName(strategy).map(text => invalid(at, strategy, text))
}
