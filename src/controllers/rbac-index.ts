import type { RbacResource, RuleIndex } from '../auth/authz/rbac/rule-index.ts'
import type { KindId } from '../catalog/define.ts'
import type { TypedObject } from '../meta/object.ts'
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, ROLE_BINDINGS, ROLES } from '../resources/kinds.ts'
import type { ControllerEnvironment } from './controller.ts'
import { followKept } from './controller.ts'

/** Keeps the index as the roles and bindings are, from the watch cache. `onSynced` is called when it has seen all four resources for the first time. Every server runs it. */
export async function followRules(env: ControllerEnvironment, index: RuleIndex, signal: AbortSignal, onSynced: () => void): Promise<void> {
  const waiting = new Set<RbacResource>(['clusterroles', 'clusterrolebindings', 'roles', 'rolebindings'])
  const into = <T extends TypedObject>(id: KindId<T>, resource: RbacResource, put: (object: T) => void): Promise<void> =>
    followKept(env, id, signal, {
      keys: () => index.keys(resource),
      put,
      remove: (namespace, name) => index.remove(resource, namespace, name),
      synced: () => {
        if (waiting.delete(resource) && waiting.size === 0) onSynced()
      },
    })
  await Promise.all([
    into(CLUSTER_ROLES, 'clusterroles', role => index.putRole(role)),
    into(CLUSTER_ROLE_BINDINGS, 'clusterrolebindings', binding => index.putBinding(binding)),
    into(ROLES, 'roles', role => index.putRole(role)),
    into(ROLE_BINDINGS, 'rolebindings', binding => index.putBinding(binding)),
  ])
}
