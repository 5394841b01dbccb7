import type { Names, Version } from '../../../catalog/definition.ts'
import type { TypedObject } from '../../../meta/object.ts'
import { STANDARD_VERBS } from '../../shared/strategy-parts.ts'
import { types } from '../../types.ts'

/** In references to roles and subjects as well: it is filled in where it is left out. */
export const RBAC_GROUP = 'rbac.authorization.k8s.io'

/** What the kinds of the group have in common in their one version. */
export const rbacVersion = <T extends TypedObject>(kind: string, names: Names): Version<T> => ({
  group: RBAC_GROUP,
  name: 'v1',
  kind,
  names,
  verbs: STANDARD_VERBS,
  schema: types.type(`rbac.${kind}`),
})
