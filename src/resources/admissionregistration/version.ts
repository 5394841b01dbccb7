import type { Names, Version } from '../../catalog/definition.ts'
import { types } from '../../catalog/types.ts'
import { STANDARD_VERBS } from '../shared/strategy-parts.ts'

/** Fields of a version that follow from its kind. `version` defaults to v1. */
export const admissionVersion = (
  kind: string,
  names: Names,
  version = 'v1',
): Pick<Version, 'group' | 'name' | 'kind' | 'names' | 'categories' | 'verbs' | 'schema'> => ({
  group: 'admissionregistration.k8s.io',
  name: version,
  kind,
  names,
  categories: ['api-extensions'],
  verbs: STANDARD_VERBS,
  schema: types.type(`admissionregistration${version === 'v1' ? '' : version.replace('v', 'V')}.${kind}`),
})
