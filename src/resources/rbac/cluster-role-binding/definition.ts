import { defineResource } from '../../../catalog/define.ts'
import type { ResourceDefinition, Version } from '../../../catalog/definition.ts'
import { bindingStrategy, bindingTable, setBindingDefaults } from '../shared/binding.ts'
import { authorizeBinding, type EscalationServices } from '../shared/escalation.ts'
import { rbacVersion } from '../shared/version.ts'
import type { ClusterRoleBinding } from '../v1.types.ts'

const v1: Version<ClusterRoleBinding> = {
  ...rbacVersion('ClusterRoleBinding', { plural: 'clusterrolebindings', singular: 'clusterrolebinding' }),
  setDefaults: setBindingDefaults,
  table: bindingTable,
}

/**
 * Gives a cluster role everywhere. The role that it gives never changes.
 * `escalation`: absent where every user may grant what they like.
 * Source of its rules: pkg/registry/rbac/clusterrolebinding.
 */
export const createClusterRoleBindingResource = (escalation?: EscalationServices): ResourceDefinition =>
  defineResource<ClusterRoleBinding>({
    scope: 'Cluster',
    versions: [v1],
    hub: v1,
    storage: { prefix: 'clusterrolebindings', version: v1 },
    // Upstream's strategy of the kind runs none, although its fields have some.
    strategy: { ...bindingStrategy(false, ['ClusterRole']), declaredRules: false, ...(escalation && { authorize: authorizeBinding(escalation) }) },
  })
