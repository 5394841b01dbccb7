import type { ResourceClaimSpec } from '../../../api/resource/v1alpha2.types.ts'
import { enumValues } from '../../../catalog/types.ts'
import { type FieldError, notSupported } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { validateClassName } from '../names.ts'
import { validateClaimParametersRef } from './references.ts'

/** The binding modes of a storage class. Upstream declares allocation modes without their values. */
const MODES = enumValues('storage.VolumeBindingMode')

/**
 * Validates class, parameters and allocation mode. Source: pkg/apis/resource/validation in k8s.io/kubernetes, 1.26 to
 * 1.30.
 */
export const validateClaimSpec = (
  { resourceClassName, parametersRef, allocationMode = '' }: ResourceClaimSpec,
  path: FieldPath,
): FieldError[] => [
  ...validateClassName(resourceClassName, path.child('resourceClassName')),
  ...validateClaimParametersRef(parametersRef, path.child('parametersRef')),
  ...(MODES.includes(allocationMode) ? [] : [notSupported(path.child('allocationMode'), allocationMode, MODES)]),
]

/** Sets the allocation mode to WaitForFirstConsumer, if unset. */
export function setClaimDefaults(spec: ResourceClaimSpec): void {
  spec.allocationMode ||= 'WaitForFirstConsumer'
}
