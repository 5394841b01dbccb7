import type { Names, Version } from '../../../catalog/definition.ts'
import { types } from '../../types.ts'

export const ALL_VERBS: readonly string[] = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch']
export const STATUS_VERBS: readonly string[] = ['get', 'patch', 'update']

/** The parts of an apps/v1 version that follow from its kind. */
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
  verbs: ALL_VERBS,
  schema: types.type(`apps.${kind}`),
})
