import type { ResourceClaimParametersReference, ResourceClassParametersReference } from '../../../api/resource/v1alpha2.types.ts'
import { type FieldError, invalid, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { isDns1123Label } from '../../../meta/names.ts'

/** Validates the reference to the parameters of a claim, in its namespace. */
export const validateClaimParametersRef = (ref: ResourceClaimParametersReference | undefined, path: FieldPath): FieldError[] =>
  ref ? [...(ref.kind === '' ? [required(path.child('kind'))] : []), ...(ref.name === '' ? [required(path.child('name'))] : [])] : []

/** Validates the reference to the parameters of a class, which may be in a namespace. */
export function validateClassParametersRef(ref: ResourceClassParametersReference | undefined, path: FieldPath): FieldError[] {
  const errors = validateClaimParametersRef(ref, path)
  const { namespace = '' } = ref ?? {}
  return namespace === ''
    ? errors
    : [...errors, ...isDns1123Label(namespace).map(text => invalid(path.child('namespace'), namespace, text))]
}

/** Prints a reference in a table: `Kind.group name`. */
export const referenceCell = (ref: ResourceClaimParametersReference | undefined): string =>
  ref ? `${ref.kind}.${ref.apiGroup ?? ''} ${ref.name}` : ''
