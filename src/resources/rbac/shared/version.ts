import type { TypedObject } from '../../../api/meta/object.ts'
import type { Names, Version } from '../../../catalog/definition.ts'
import { types } from '../../../catalog/types.ts'
import { STANDARD_VERBS } from '../../shared/strategy-parts.ts'

/** API group. Also the default in references to roles, and to users and groups as subjects. */
export const RBAC_GROUP = 'rbac.authorization.k8s.io'

/** Fields that the kinds of the group have in common in their only version. */
export const rbacVersion = <T extends TypedObject>(kind: string, names: Names): Version<T> => ({
  group: RBAC_GROUP,
  name: 'v1',
  kind,
  names,
  verbs: STANDARD_VERBS,
  schema: types.type(`rbac.${kind}`),
})
