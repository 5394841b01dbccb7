import type { CrossVersionObjectReference } from '../../../api/autoscaling/v2.types.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { invalid, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { parseApiVersion } from '../../../meta/gvk.ts'
import { nameIsPathSegment } from '../../../meta/names.ts'

/** Rules for the apiVersion of a reference. */
export interface ReferenceRules {
  /** Whether it is not validated, as before 1.34 and if the old object is invalid. */
  readonly anyApiVersion: boolean
  /** Whether it may be in the core group. */
  readonly coreGroup: boolean
}

/**
 * Validates a reference. `kind` and `name` are required path segments. Source: pkg/apis/autoscaling/validation in
 * k8s.io/kubernetes.
 */
export function validateObjectReference(reference: CrossVersionObjectReference, path: FieldPath, rules: ReferenceRules): FieldError[] {
  const errors = (['kind', 'name'] as const).flatMap(member => {
    const value = reference[member]
    const at = path.child(member)
    return value === '' ? [required(at)] : nameIsPathSegment(value, false).map(text => invalid(at, value, text))
  })
  const fault = apiVersionFault(reference, rules)
  return fault === undefined ? errors : [...errors, invalid(path.child('apiVersion'), reference.apiVersion ?? '', fault)]
}

/** Returns the text of the error. An empty apiVersion is the core group, as is `v1`. */
export function apiVersionFault(
  { apiVersion = '' }: CrossVersionObjectReference,
  { anyApiVersion, coreGroup }: ReferenceRules,
): string | undefined {
  if (anyApiVersion) return undefined
  const parsed = parseApiVersion(apiVersion)
  // A single slash is treated like an empty string.
  if (!parsed && apiVersion !== '/') return `unexpected GroupVersion string: ${apiVersion}`
  return coreGroup || parsed?.group ? undefined : 'apiVersion must specify API group'
}
