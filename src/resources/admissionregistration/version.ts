import type { Names, Version } from '../../catalog/definition.ts'
import { STANDARD_VERBS } from '../strategy-parts.ts'
import { types } from '../types.ts'

/** The parts of an admissionregistration.k8s.io/v1 version that follow from its kind. */
export const admissionVersion = (kind: string, names: Names): Pick<Version, 'group' | 'name' | 'kind' | 'names' | 'categories' | 'verbs' | 'schema'> => ({
  group: 'admissionregistration.k8s.io',
  name: 'v1',
  kind,
  names,
  categories: ['api-extensions'],
  verbs: STANDARD_VERBS,
  schema: types.type(`admissionregistration.${kind}`),
})
