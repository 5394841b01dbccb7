import type { FieldError } from '../../../meta/field-error.ts'
import { forbidden, invalid, notSupported } from '../../../meta/field-error.ts'
import { type FieldPath, fieldPath } from '../../../meta/field-path.ts'
import { isQualifiedName } from '../../../meta/names.ts'
import type { Lease } from '../v1.types.ts'

/**
 * Times may go backwards: only durations and counts are checked, and what coordinated elections need of the strategy. Source: pkg/apis/coordination/validation in
 * k8s.io/kubernetes.
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

/** One of ours, or somebody's own with a domain. Errors are at `strategy` below the path of the field, as upstream reports them. */
export function validateLeaseStrategy(strategy: string, path: FieldPath): FieldError[] {
  const at = path.child('strategy')
  if (!strategy.includes('/')) return strategy === 'OldestEmulationVersion' ? [] : [notSupported(at, strategy, ['OldestEmulationVersion'])]
  return isQualifiedName(strategy).map(text => invalid(at, strategy, text))
}
