import type { FieldError } from '../../../meta/field-error.ts'
import { invalid, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { nameIsPathSegment } from '../../../meta/names.ts'
import type { CrossVersionObjectReference } from '../v2.types.ts'

/** `kind` and `name` are required and are path segments; apiVersion is not checked. Source: pkg/apis/autoscaling/validation in k8s.io/kubernetes. */
export const validateObjectReference = (reference: CrossVersionObjectReference, path: FieldPath): FieldError[] =>
  (['kind', 'name'] as const).flatMap(member => {
    const value = reference[member]
    const at = path.child(member)
    return value === '' ? [required(at)] : nameIsPathSegment(value, false).map(text => invalid(at, value, text))
  })
