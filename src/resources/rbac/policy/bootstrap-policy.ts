import type { Features } from '../../../lifecycle/gates.ts'
import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from '../v1.types.ts'
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES } from './cluster-roles.ts'
import { CONTROLLER_ROLES } from './controller-roles.ts'
import { NAMESPACE_POLICY } from './namespace-roles.ts'
import { readBindings, readRoles } from './read-policy.ts'

const CONTROLLER = 'system:controller:'
/** What the administrators of kubelets may do with the gate KubeletFineGrainedAuthz only. */
const FINE_GRAINED_KUBELETS = '  * core nodes/configz,nodes/healthz,nodes/pods\n'

/** What every cluster has, in the order in which it is made: roles before the bindings that give them. */
export interface BootstrapPolicy {
  readonly clusterRoles: readonly ClusterRole[]
  readonly clusterRoleBindings: readonly ClusterRoleBinding[]
  readonly roles: readonly Role[]
  readonly roleBindings: readonly RoleBinding[]
}

/** The default roles and bindings of release 1.33 (https://kubernetes.io/docs/reference/access-authn-authz/rbac/#default-roles-and-role-bindings), made anew with each call. */
export function bootstrapPolicy(features: Features): BootstrapPolicy {
  // The names of the roles: their lines are not indented.
  const controllers = CONTROLLER_ROLES.split('\n').filter(line => line !== '' && !line.startsWith(' '))
  return {
    clusterRoles: [
      ...readRoles(features.enabled('KubeletFineGrainedAuthz') ? CLUSTER_ROLES : CLUSTER_ROLES.replace(FINE_GRAINED_KUBELETS, '')),
      ...readRoles(CONTROLLER_ROLES.replace(/^(?=[^\s])/gm, CONTROLLER)),
    ],
    clusterRoleBindings: [
      ...readBindings(CLUSTER_ROLE_BINDINGS),
      ...readBindings(controllers.map(name => `${CONTROLLER}${name} = ${CONTROLLER}${name}: account kube-system/${name}`).join('\n')),
    ],
    roles: NAMESPACE_POLICY.flatMap(({ namespace, roles }) => readRoles(roles, namespace)),
    roleBindings: NAMESPACE_POLICY.flatMap(({ namespace, bindings }) => readBindings(bindings, namespace)),
  }
}
