import type { RbacResource, RuleIndex } from '../auth/authz/rbac/rule-index.ts'
import { RBAC_GROUP } from '../resources/rbac/shared/version.ts'
import type { ControllerEnvironment } from './controller.ts'
import { followFresh } from './controller.ts'

const RESOURCES: readonly RbacResource[] = ['clusterroles', 'clusterrolebindings', 'roles', 'rolebindings']

/** Keeps the index as the roles and bindings are, from the watch cache. `onSynced` is called when it has seen all four resources for the first time. Every server runs it. */
export async function followRules(env: ControllerEnvironment, index: RuleIndex, signal: AbortSignal, onSynced: () => void): Promise<void> {
  const waiting = new Set(RESOURCES)
  await Promise.all(
    RESOURCES.map(resource =>
      followFresh(env, { group: RBAC_GROUP, resource }, signal, () => {
        // What the index has from before and is not seen again was deleted while nobody watched.
        const before = new Set(index.keys(resource))
        return ({ type, object }) => {
          if (object) {
            const { namespace = '', name = '' } = object.metadata
            before.delete(`${namespace}/${name}`)
            if (type === 'deleted') index.remove(resource, namespace, name)
            else index.put(resource, object)
          } else {
            for (const key of before) index.remove(resource, key.slice(0, key.indexOf('/')), key.slice(key.indexOf('/') + 1))
            before.clear()
            if (waiting.delete(resource) && waiting.size === 0) onSynced()
          }
        }
      }),
    ),
  )
}
