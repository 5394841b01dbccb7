import { deepEqual } from '../../../meta/equal.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { invalid } from '../../../meta/field-error.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import type { KubeObject } from '../../../meta/object.ts'
import { goValue } from '../../shared/go-values.ts'
import { validateClaimSpec } from '../claim-spec.ts'

/** An update tells what is wrong with the spec twice, as upstream does; it cannot change it. */
export function validateClaim({ spec }: KubeObject, old: KubeObject | undefined): FieldError[] {
  const path = fieldPath('spec')
  const errors = validateClaimSpec(spec, false, path)
  if (!old) return errors
  if (!deepEqual(spec, old.spec)) errors.push(invalid(path, goValue('resource.ResourceClaimSpec', spec), 'field is immutable'))
  return [...errors, ...validateClaimSpec(spec, true, path)]
}
