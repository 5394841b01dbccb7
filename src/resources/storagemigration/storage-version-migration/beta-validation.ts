import type { StorageVersionMigration } from '../../../api/storagemigration/v1beta1.types.ts'
import { validateMetaConditions } from '../../../meta/condition-validation.ts'
import { deepEqual } from '../../../meta/equal.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { immutableError, invalid, required } from '../../../meta/field-error.ts'
import { type FieldPath, fieldPath } from '../../../meta/field-path.ts'
import { isDns1035Label, isDns1123Subdomain } from '../../../meta/names.ts'
import { goMember, goValue } from '../../shared/go-values.ts'
import { conditionIsTrue } from './conditions.ts'

/** Matches a resourceVersion, except 0, which stands for any revision. */
const REVISION = /^[1-9][0-9]*$/

/**
 * Validates a migration by the rules of 1.35 and later: group and resource are names like those of an APIService, and
 * the spec is immutable. Source: pkg/apis/storagemigration/validation in k8s.io/kubernetes.
 */
export function validateBetaMigration({ spec }: StorageVersionMigration, old: StorageVersionMigration | undefined): FieldError[] {
  const { group, resource } = spec.resource
  const path = fieldPath('spec', 'resource')
  const together = (text: string, faults: string[], at: FieldPath): FieldError[] =>
    faults.length > 0 ? [invalid(at, text, faults.join(','))] : []
  return [
    ...(resource === ''
      ? [required(path.child('resource'), 'resource is required to be set')]
      : together(resource, isDns1035Label(resource), path.child('resource'))),
    ...(group === '' ? [] : together(group, isDns1123Subdomain(group), path.child('group'))),
    ...(old && !deepEqual(spec, old.spec)
      ? [immutableError(fieldPath('spec'), goValue('storagemigrationV1beta1.StorageVersionMigrationSpec', spec))]
      : []),
  ]
}

/** Validates the status. A resourceVersion is immutable once set. A migration has one outcome, and keeps it. */
export function validateBetaStatus(next: StorageVersionMigration, old: StorageVersionMigration | undefined): FieldError[] {
  const path = fieldPath('status')
  const at = path.child('resourceVersion')
  const { conditions, resourceVersion = '' } = next.status
  const before = old?.status.resourceVersion ?? ''
  const is = (type: string): boolean => conditionIsTrue(next, type)
  const was = (type: string): boolean => old !== undefined && conditionIsTrue(old, type)
  const outcomes: [broken: boolean, text: string][] = [
    [is('Succeeded') && is('Failed'), 'Both success and failed conditions cannot be true at the same time'],
    [was('Succeeded') && !is('Succeeded'), 'Success condition cannot be set to false once it is true'],
    [was('Failed') && !is('Failed'), 'Failed condition cannot be set to false once it is true'],
  ]
  const shown = (): ReturnType<typeof goMember> =>
    goMember('storagemigrationV1beta1.StorageVersionMigrationStatus', 'conditions', conditions)
  return [
    ...(resourceVersion === '' || REVISION.test(resourceVersion)
      ? []
      : [invalid(at, resourceVersion, `resource version is not well formed: ${resourceVersion}`)]),
    ...validateMetaConditions(conditions, path.child('conditions')),
    ...(before !== '' && before !== resourceVersion ? [immutableError(at, resourceVersion)] : []),
    ...outcomes.flatMap(([broken, text]) => (broken ? [invalid(path.child('conditions'), shown(), text)] : [])),
  ]
}
