import type { ResourceDefinition, Version } from '../../../catalog/definition.ts'
import { bindingStrategy, bindingTable, setBindingDefaults } from '../shared/binding.ts'
import { rbacVersion } from '../shared/version.ts'

const v1: Version = {
  ...rbacVersion('RoleBinding', { plural: 'rolebindings', singular: 'rolebinding' }),
  setDefaults: setBindingDefaults,
  table: bindingTable,
}

export const roleBindingResource: ResourceDefinition = {
  scope: 'Namespaced',
  versions: [v1],
  home: v1,
  storage: { prefix: 'rolebindings', version: v1 },
  strategy: bindingStrategy(true, ['Role', 'ClusterRole']),
}
