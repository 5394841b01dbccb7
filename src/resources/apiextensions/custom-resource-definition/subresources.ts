import type { CustomResourceSubresources } from '../../../api/apiextensions/v1.types.ts'
import { type FieldError, invalid, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { simplePathErrors } from './simple-path.ts'

/** Returns at most one error: the path is missing, invalid, or not below `prefix`. */
function replicasErrors(text: string, prefix: string, path: FieldPath): FieldError[] {
  if (!text) return [required(path)]
  const errors = simplePathErrors(text, path)
  if (errors.length > 0) return errors
  return text.startsWith(`${prefix}.`) ? [] : [invalid(path, text, `should be a json path under ${prefix}`)]
}

/** Validates subresources. The paths of `scale` must be below spec and status. */
export function validateSubresources(subresources: CustomResourceSubresources | undefined, path: FieldPath): FieldError[] {
  const scale = subresources?.scale
  if (!scale) return []
  const errors = [
    ...replicasErrors(scale.specReplicasPath, '.spec', path.child('scale.specReplicasPath')),
    ...replicasErrors(scale.statusReplicasPath, '.status', path.child('scale.statusReplicasPath')),
  ]
  const text = scale.labelSelectorPath
  if (!text) return errors
  const at = path.child('scale.labelSelectorPath')
  const simple = simplePathErrors(text, at)
  if (simple.length > 0) return [...errors, ...simple]
  const known = text.startsWith('.spec.') || text.startsWith('.status.')
  return known ? errors : [...errors, invalid(at, text, 'should be a json path under either .spec or .status')]
}
