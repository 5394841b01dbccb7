import type { StorageVersionMigration } from '../../../api/storagemigration/v1alpha1.types.ts'
import { quote } from '../../../lib/go-quote.ts'
import { parseInt64 } from '../../../lib/integer.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { immutableError, invalid, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { validateNonNegative } from '../../../meta/object-meta-validation.ts'
import { goMember } from '../../shared/go-values.ts'
import { conditionIsTrue, validateMigrationConditions } from './conditions.ts'

/**
 * Validates a migration. `resource` and `version` are required, the group is not. All are immutable; the paths of those
 * errors lack `spec.resource`, as upstream's do. Source: pkg/apis/storagemigration/validation in k8s.io/kubernetes.
 */
export function validateMigration({ spec: { resource } }: StorageVersionMigration, old: StorageVersionMigration | undefined): FieldError[] {
  const path = fieldPath('spec', 'resource')
  const errors: FieldError[] = []
  for (const member of ['resource', 'version'] as const) {
    if (!resource[member]) errors.push(required(path.child(member), `${member} is required`))
  }
  if (!old) return errors
  for (const member of ['group', 'version', 'resource'] as const) {
    const value = resource[member] ?? ''
    if (value !== (old.spec.resource[member] ?? '')) errors.push(immutableError(fieldPath(member), value))
  }
  return errors
}

/**
 * Validates a resourceVersion. An empty string counts as 0; any other is a non-negative int64. Messages are those of
 * strconv.ParseInt.
 */
function validateResourceVersion(version: string, path: FieldPath): FieldError[] {
  const number = version === '' ? 0n : parseInt64(version)
  if (number !== undefined) return validateNonNegative(Number(number), path)
  const reason = /^[+-]?\d+$/.test(version) ? 'value out of range' : 'invalid syntax'
  return [
    invalid(path, version, `failed to parse resource version ${quote(version)}: strconv.ParseInt: parsing ${quote(version)}: ${reason}`),
  ]
}

/** Checks that a migration that has succeeded or failed stays so, and is no longer running. */
function validateOutcome(next: StorageVersionMigration, old: StorageVersionMigration | undefined, path: FieldPath): FieldError[] {
  const is = (type: string): boolean => conditionIsTrue(next, type)
  const was = (type: string): boolean => old !== undefined && conditionIsTrue(old, type)
  const faults: [broken: boolean, text: string][] = [
    [is('Succeeded') && is('Failed'), 'Both success and failed conditions cannot be true at the same time'],
    [is('Succeeded') && is('Running'), 'Running condition cannot be true when success condition is true'],
    [is('Failed') && is('Running'), 'Running condition cannot be true when failed condition is true'],
    [was('Succeeded') && !is('Succeeded'), 'Success condition cannot be set to false once it is true'],
    [was('Failed') && !is('Failed'), 'Failed condition cannot be set to false once it is true'],
  ]
  return faults
    .filter(([broken]) => broken)
    .map(([, text]) =>
      invalid(path, goMember('storagemigration.StorageVersionMigrationStatus', 'conditions', next.status.conditions), text),
    )
}

/**
 * Validates the status. A resourceVersion is immutable once set. A migration that has ended does not start again, and
 * cannot have both succeeded and failed.
 */
export function validateMigrationStatus(next: StorageVersionMigration, old: StorageVersionMigration | undefined): FieldError[] {
  const versionPath = fieldPath('status', 'resourceVersion')
  const conditionsPath = fieldPath('status', 'conditions')
  const { conditions = [], resourceVersion: version = '' } = next.status
  const oldVersion = old?.status.resourceVersion ?? ''
  return [
    ...validateResourceVersion(version, versionPath),
    ...validateMigrationConditions(conditions, conditionsPath),
    ...(oldVersion !== '' && oldVersion !== version ? [invalid(versionPath, version, 'cannot be updated')] : []),
    ...validateOutcome(next, old, conditionsPath),
  ]
}
