import type { Names, Version } from '../../../catalog/definition.ts'
import { types } from '../../../catalog/types.ts'
import { type FieldError, tooLongError } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { STANDARD_VERBS } from '../../shared/strategy-parts.ts'

/** Fields of a version of 1.26 to 1.30 that follow from its kind. */
export const alphaVersion = (
  name: 'v1alpha1' | 'v1alpha2',
  kind: string,
  names: Names,
): Pick<Version, 'group' | 'name' | 'kind' | 'names' | 'verbs' | 'schema'> => ({
  group: 'resource.k8s.io',
  name,
  kind,
  names,
  verbs: STANDARD_VERBS,
  schema: types.type(`resource${name.replace('v', 'V')}.${kind}`),
})

/** Message of those releases. */
export const longerThanAllowed = (path: FieldPath, max: number): FieldError => ({
  ...tooLongError(path, max),
  body: `Too long: may not be longer than ${max}`,
})
