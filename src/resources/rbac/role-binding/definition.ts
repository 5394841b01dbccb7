import type { RoleBinding } from '../../../api/rbac/v1.types.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { ResourceDefinition, Version } from '../../../catalog/definition.ts'
import { bindingStrategy, bindingTable, setBindingDefaults } from '../shared/binding.ts'
import { authorizeBinding, type EscalationServices } from '../shared/escalation.ts'
import { rbacVersion } from '../shared/version.ts'

const v1: Version<RoleBinding> = {
  ...rbacVersion('RoleBinding', { plural: 'rolebindings', singular: 'rolebinding' }),
  setDefaults: setBindingDefaults,
  table: bindingTable,
}

/**
 * Grants a role or a cluster role within one namespace. The role reference is immutable. `escalation` is undefined if
 * any user may grant any permission. Source of its rules: pkg/registry/rbac/rolebinding.
 */
export const createRoleBindingResource = (escalation?: EscalationServices): ResourceDefinition =>
  defineResource<RoleBinding>({
    scope: 'Namespaced',
    versions: [v1],
    hub: v1,
    storage: { prefix: 'rolebindings', version: v1 },
    strategy: { ...bindingStrategy(true, ['Role', 'ClusterRole']), ...(escalation && { authorize: authorizeBinding(escalation) }) },
  })
