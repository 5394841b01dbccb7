import type { ResourceDefinition, Version } from '../../../catalog/definition.ts'
import { bindingStrategy, bindingTable, setBindingDefaults } from '../shared/binding.ts'
import { rbacVersion } from '../shared/version.ts'

const v1: Version = {
  ...rbacVersion('ClusterRoleBinding', { plural: 'clusterrolebindings', singular: 'clusterrolebinding' }),
  setDefaults: setBindingDefaults,
  table: bindingTable,
}

export const clusterRoleBindingResource: ResourceDefinition = {
  scope: 'Cluster',
  versions: [v1],
  home: v1,
  storage: { prefix: 'clusterrolebindings', version: v1 },
  strategy: bindingStrategy(false, ['ClusterRole']),
}
