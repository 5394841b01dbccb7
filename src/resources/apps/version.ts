import type { Names, Version } from '../../catalog/definition.ts'
import { types } from '../../catalog/types.ts'
import { STANDARD_VERBS } from '../shared/strategy-parts.ts'

/** Fields of an apps/v1 version that follow from its kind. `inAll` adds the category `all` (`kubectl get all`). */
export const appsVersion = (
  kind: string,
  names: Names,
  inAll = true,
): Pick<Version, 'group' | 'name' | 'kind' | 'names' | 'categories' | 'verbs' | 'schema'> => ({
  group: 'apps',
  name: 'v1',
  kind,
  names,
  ...(inAll && { categories: ['all'] }),
  verbs: STANDARD_VERBS,
  schema: types.type(`apps.${kind}`),
})
