import type { TypedObject } from '../api/meta/object.ts'
import { getKind, type KindId, updateKind } from '../catalog/define.ts'
import { errorMessage } from '../lib/error-message.ts'
import { pause } from '../lib/pause.ts'
import type { Features } from '../lifecycle/gates.ts'
import { clone } from '../meta/equal.ts'
import { isStatusError } from '../meta/status.ts'
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, ROLE_BINDINGS, ROLES } from '../resources/kinds.ts'
import { bootstrapPolicy } from '../resources/rbac/policy/bootstrap-policy.ts'
import { reconcileBinding, reconcileRole } from '../resources/rbac/policy/reconcile.ts'
import type { ControllerEnvironment } from './controller.ts'
import { isRefused, type Refusals, settleAll } from './ensure.ts'

/** Delay before rejected objects are retried, in milliseconds. */
const REFUSED_AGAIN_MS = 10_000

/**
 * Returns the updated object, or undefined if it is up to date. A binding to another role must be recreated, because
 * roleRef is immutable.
 */
type Reconcile<T> = (now: T, wanted: T) => T | 'recreate' | undefined

/**
 * Creates the default roles and bindings and adds missing rules and subjects to existing ones, once at start, as
 * kube-apiserver does (https://kubernetes.io/docs/reference/access-authn-authz/rbac/#auto-reconciliation). Retries
 * until done. Rejected objects are recorded in `refusals` meanwhile.
 */
export async function bootstrapRbacPolicy(
  env: ControllerEnvironment,
  features: Features,
  signal: AbortSignal,
  refusals: Refusals = new Map(),
): Promise<void> {
  for (let wait = 50; !signal.aborted; wait = Math.min(wait * 2, 5000)) {
    try {
      await reconcileAll(env, features, refusals)
      if (refusals.size === 0) return
      await pause(REFUSED_AGAIN_MS, signal)
    } catch (error) {
      env.logger.debug(1, 'cannot create the default roles, retrying', { error: errorMessage(error) })
      await pause(wait, signal)
    }
  }
}

/** Reconciles roles before the bindings that refer to them. */
async function reconcileAll(env: ControllerEnvironment, features: Features, refusals: Refusals): Promise<void> {
  const policy = bootstrapPolicy(features)
  await ensureAll(env, CLUSTER_ROLES, policy.clusterRoles, reconcileRole, refusals)
  await ensureAll(env, CLUSTER_ROLE_BINDINGS, policy.clusterRoleBindings, reconcileBinding, refusals)
  await ensureAll(env, ROLES, policy.roles, reconcileRole, refusals)
  await ensureAll(env, ROLE_BINDINGS, policy.roleBindings, reconcileBinding, refusals)
}

/** Reconciles objects concurrently, so that their writes share transactions of the store. */
const ensureAll = <T extends TypedObject>(
  env: ControllerEnvironment,
  id: KindId<T>,
  wanted: readonly T[],
  reconcile: Reconcile<T>,
  refusals: Refusals,
): Promise<void> =>
  settleAll(
    wanted.map(async one => {
      const name = `${id.resource} ${one.metadata.name ?? ''}`
      try {
        await ensure(env, id, one, reconcile)
        refusals.delete(name)
      } catch (error) {
        if (!isRefused(error)) throw error
        const why = errorMessage(error)
        if (refusals.get(name) !== why)
          env.logger.warn('a default role was rejected: the server is not ready without it', {
            resource: id.resource,
            name: one.metadata.name,
            error: why,
          })
        refusals.set(name, why)
      }
    }),
  )

/** Creates or reconciles one object. Several servers may do so concurrently. */
async function ensure<T extends TypedObject>(
  { access }: ControllerEnvironment,
  id: KindId<T>,
  wanted: T,
  reconcile: Reconcile<T>,
): Promise<void> {
  const { name = '', namespace = '' } = wanted.metadata
  try {
    const now = await getKind(access, id, namespace, name, { resourceVersion: '0' })
    const next = reconcile(now, wanted)
    if (next === undefined) return
    if (next !== 'recreate') {
      await updateKind(access, id, { namespace, name }, fresh => {
        const again = reconcile(fresh, wanted)
        return again === 'recreate' ? undefined : again
      })
      return
    }
    await access.delete(id, namespace, name, now.metadata.uid === undefined ? {} : { uid: now.metadata.uid })
  } catch (error) {
    if (!isStatusError(error, 'NotFound')) throw error
  }
  await access.create(id, namespace, clone(wanted)).catch(error => {
    if (!isStatusError(error, 'AlreadyExists')) throw error
  })
}
