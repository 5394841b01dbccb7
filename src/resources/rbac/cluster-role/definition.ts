import type { ResourceDefinition } from '../../../catalog/definition.ts'
import { nameIsPathSegment } from '../../../meta/names.ts'
import { rbacVersion } from '../shared/version.ts'
import { validateClusterRole } from './validation.ts'

const v1 = rbacVersion('ClusterRole', { plural: 'clusterroles', singular: 'clusterrole' })

export const clusterRoleResource: ResourceDefinition = {
  scope: 'Cluster',
  versions: [v1],
  home: v1,
  storage: { prefix: 'clusterroles', version: v1 },
  strategy: { allowCreateOnUpdate: true, revalidatesMeta: true, validateName: nameIsPathSegment, validate: validateClusterRole },
}
