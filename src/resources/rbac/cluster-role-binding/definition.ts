import type { ClusterRoleBinding } from '../../../api/rbac/v1.types.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { ResourceDefinition, Version } from '../../../catalog/definition.ts'
import { bindingStrategy, bindingTable, setBindingDefaults } from '../shared/binding.ts'
import { authorizeBinding, type EscalationServices } from '../shared/escalation.ts'
import { rbacVersion } from '../shared/version.ts'

const v1: Version<ClusterRoleBinding> = {
  ...rbacVersion('ClusterRoleBinding', { plural: 'clusterrolebindings', singular: 'clusterrolebinding' }),
  setDefaults: setBindingDefaults,
  table: bindingTable,
}

/**
 * Grants a cluster role in the whole cluster. The role reference is immutable. `escalation` is undefined if any user
 * may grant any permission. Source of its rules: pkg/registry/rbac/clusterrolebinding.
 */
export const createClusterRoleBindingResource = (escalation?: EscalationServices): ResourceDefinition =>
  defineResource<ClusterRoleBinding>({
    scope: 'Cluster',
    versions: [v1],
    hub: v1,
    storage: { prefix: 'clusterrolebindings', version: v1 },
    // Upstream's strategy runs no declarative validation, although its fields have rules.
    strategy: {
      ...bindingStrategy(false, ['ClusterRole']),
      declaredRules: false,
      ...(escalation && { authorize: authorizeBinding(escalation) }),
    },
  })
