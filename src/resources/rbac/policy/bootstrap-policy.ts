import type { Features } from '../../../lifecycle/gates.ts'
import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from '../v1.types.ts'
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES } from './cluster-roles.ts'
import { CONTROLLER_ROLES } from './controller-roles.ts'
import { NAMESPACE_POLICY } from './namespace-roles.ts'
import { readBindings, readRoles } from './read-policy.ts'
import { STORAGE_CONTROLLER_ROLES } from './storage-controller-roles.ts'

const CONTROLLER = 'system:controller:'

/** What every cluster has, in the order in which it is made: roles before the bindings that give them. */
export interface BootstrapPolicy {
  readonly clusterRoles: readonly ClusterRole[]
  readonly clusterRoleBindings: readonly ClusterRoleBinding[]
  readonly roles: readonly Role[]
  readonly roleBindings: readonly RoleBinding[]
}

/**
 * The default roles and bindings of the release (https://kubernetes.io/docs/reference/access-authn-authz/rbac/#default-roles-and-role-bindings), made anew with
 * each call.
 */
export function bootstrapPolicy(features: Features): BootstrapPolicy {
  const controllers = readRoles([CONTROLLER_ROLES, STORAGE_CONTROLLER_ROLES].join('').replace(/^(?=[^\s])/gm, CONTROLLER), features)
  const accounts = controllers.map(({ metadata: { name = '' } }) => `${name} = ${name}: account kube-system/${name.slice(CONTROLLER.length)}`)
  return {
    clusterRoles: [...readRoles(CLUSTER_ROLES, features), ...controllers],
    clusterRoleBindings: [...readBindings(CLUSTER_ROLE_BINDINGS, features), ...readBindings(accounts.join('\n'), features)],
    roles: NAMESPACE_POLICY.flatMap(({ namespace, roles }) => readRoles(roles, features, namespace)),
    roleBindings: NAMESPACE_POLICY.flatMap(({ namespace, bindings }) => readBindings(bindings, features, namespace)),
  }
}
