import type { TypedObject } from '../api/meta/object.ts'
import type { Role, RoleBinding } from '../api/rbac/v1.types.ts'
import type { RbacResource, RuleIndex } from '../auth/authz/rbac/rule-index.ts'
import type { KindId } from '../catalog/define.ts'
import { startInTurns } from '../lib/steps.ts'
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, ROLE_BINDINGS, ROLES } from '../resources/kinds.ts'
import type { ControllerEnvironment, ObjectIndex } from './controller.ts'
import { followKept } from './controller.ts'

/**
 * Keeps the RBAC index in sync with roles and bindings. Every server runs it. @param onSynced called when all four
 * resources have completed their initial lists.
 */
export async function followRules(env: ControllerEnvironment, index: RuleIndex, signal: AbortSignal, onSynced: () => void): Promise<void> {
  const waiting = new Set<RbacResource>(['clusterroles', 'clusterrolebindings', 'roles', 'rolebindings'])
  type Kept<T extends TypedObject> = Pick<ObjectIndex<T>, 'put' | 'remove'>
  const into = <T extends TypedObject>(id: KindId<T>, resource: RbacResource, kept: Kept<T>): Promise<void> =>
    followKept(env, id, signal, {
      ...kept,
      keys: () => index.keys(resource),
      synced: () => {
        if (waiting.delete(resource) && waiting.size === 0) onSynced()
      },
    })
  const roles: Kept<Role> = { put: role => index.putRole(role), remove: (namespace, name) => index.removeRole(namespace, name) }
  const bindings: Kept<RoleBinding> = {
    put: binding => startInTurns(index.putBindingInSteps(binding)),
    remove: (namespace, name) => startInTurns(index.removeBinding(namespace, name)),
  }
  await Promise.all([
    into(CLUSTER_ROLES, 'clusterroles', roles),
    into(CLUSTER_ROLE_BINDINGS, 'clusterrolebindings', bindings),
    into(ROLES, 'roles', roles),
    into(ROLE_BINDINGS, 'rolebindings', bindings),
  ])
}
