import type { TypedObject } from '../api/meta/object.ts'
import type { RoleBinding } from '../api/rbac/v1.types.ts'
import type { RbacResource, RuleIndex } from '../auth/authz/rbac/rule-index.ts'
import type { KindId } from '../catalog/define.ts'
import { startInTurns } from '../lib/steps.ts'
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, ROLE_BINDINGS, ROLES } from '../resources/kinds.ts'
import type { ControllerEnvironment } from './controller.ts'
import { followKept } from './controller.ts'

/**
 * Keeps the RBAC index in sync with roles and bindings. Every server runs it. @param onSynced called when all four resources have completed their initial
 * lists.
 */
export async function followRules(env: ControllerEnvironment, index: RuleIndex, signal: AbortSignal, onSynced: () => void): Promise<void> {
  const waiting = new Set<RbacResource>(['clusterroles', 'clusterrolebindings', 'roles', 'rolebindings'])
  const into = <T extends TypedObject>(id: KindId<T>, resource: RbacResource, put: (object: T) => undefined | Promise<void> | void): Promise<void> =>
    followKept(env, id, signal, {
      keys: () => index.keys(resource),
      put,
      remove: (namespace, name) => index.remove(resource, namespace, name),
      synced: () => {
        if (waiting.delete(resource) && waiting.size === 0) onSynced()
      },
    })
  const bind = (binding: RoleBinding): undefined | Promise<void> | void => startInTurns(index.putBindingInSteps(binding))
  await Promise.all([
    into(CLUSTER_ROLES, 'clusterroles', role => index.putRole(role)),
    into(CLUSTER_ROLE_BINDINGS, 'clusterrolebindings', bind),
    into(ROLES, 'roles', role => index.putRole(role)),
    into(ROLE_BINDINGS, 'rolebindings', bind),
  ])
}
