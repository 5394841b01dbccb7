import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from '../../../api/rbac/v1.types.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES } from './cluster-roles.ts'
import { CONTROLLER_ROLES } from './controller-roles.ts'
import { NAMESPACE_POLICY } from './namespace-roles.ts'
import { readBindings, readRoles } from './read-policy.ts'
import { STORAGE_CONTROLLER_ROLES } from './storage-controller-roles.ts'

const CONTROLLER = 'system:controller:'

/** Default roles and bindings of a cluster, in the order of creation: roles precede the bindings that refer to them. */
export interface BootstrapPolicy {
  readonly clusterRoles: readonly ClusterRole[]
  readonly clusterRoleBindings: readonly ClusterRoleBinding[]
  readonly roles: readonly Role[]
  readonly roleBindings: readonly RoleBinding[]
}

/**
 * Returns the default roles and bindings of the release, created anew with each call:
 * https://kubernetes.io/docs/reference/access-authn-authz/rbac/#default-roles-and-role-bindings
 */
export function bootstrapPolicy(features: Features): BootstrapPolicy {
  const controllers = readRoles([CONTROLLER_ROLES, STORAGE_CONTROLLER_ROLES].join('').replace(/^(?=[^\s])/gm, CONTROLLER), features)
  const accounts = controllers.map(
    ({ metadata: { name = '' } }) => `${name} = ${name}: account kube-system/${name.slice(CONTROLLER.length)}`,
  )
  return {
    clusterRoles: [...readRoles(CLUSTER_ROLES, features), ...controllers],
    clusterRoleBindings: [...readBindings(CLUSTER_ROLE_BINDINGS, features), ...readBindings(accounts.join('\n'), features)],
    roles: NAMESPACE_POLICY.flatMap(({ namespace, roles }) => readRoles(roles, features, namespace)),
    roleBindings: NAMESPACE_POLICY.flatMap(({ namespace, bindings }) => readBindings(bindings, features, namespace)),
  }
}
