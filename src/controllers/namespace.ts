import { getKind, updateKind } from '../catalog/define.ts'
import { errorMessage } from '../lib/error-message.ts'
import { pause } from '../lib/pause.ts'
import { isStatusError } from '../meta/status.ts'
import type { Namespace } from '../resources/core/v1.types.ts'
import { NAMESPACES } from '../resources/kinds.ts'
import { type Controller, type ControllerEnvironment, follow, WorkQueue } from './controller.ts'
import { withConditions } from './namespace-conditions.ts'
import { type DeletionParts, deleteContent, ignoreGone } from './namespace-deletion.ts'

/** The finalizer of the spec that this controller removes. */
const FINALIZER = 'kubernetes'
/** Until then every server has seen that the namespace is going, and creates that had begun before are there to be found. */
const SETTLE_MS = 500
/** How soon a namespace that still has content is looked at again. */
const AGAIN_MS = 1000

/** Empties namespaces that are being deleted, reports in their conditions what is left, and lets them go when nothing is. */
export const namespaceController =
  (parts: DeletionParts): Controller =>
  async (env, signal) => {
    const queue = new WorkQueue(
      4,
      signal,
      name => emptyNamespace(env, parts, name, signal),
      (name, error) => env.logger.debug(2, 'namespace is not empty yet', { namespace: name, error: errorMessage(error) }),
      env.queues?.meter('namespace'),
    )
    await follow(env, NAMESPACES, signal, event => {
      const meta = event.object?.metadata
      if (meta?.deletionTimestamp !== undefined && event.type !== 'deleted') queue.add(meta.name ?? '')
    })
  }

/** Deletes all objects of the namespace, reports in its conditions what remains, and tries again until nothing does. */
async function emptyNamespace(env: ControllerEnvironment, parts: DeletionParts, name: string, signal: AbortSignal): Promise<void> {
  let first = true
  await pause(SETTLE_MS, signal)
  while (!signal.aborted) {
    const namespace = await getKind(env.access, NAMESPACES, '', name).catch(error => {
      if (isStatusError(error, 'NotFound')) return undefined
      throw error
    })
    if (!namespace?.metadata.deletionTimestamp || !namespace.spec.finalizers?.includes(FINALIZER)) return
    const left = await deleteContent(env, parts, namespace)
    if (left.isEmpty) {
      await updateKind(env.access, NAMESPACES, { namespace: '', name, subresource: 'finalize' }, finalize).catch(ignoreGone)
      return
    }
    await updateKind(env.access, NAMESPACES, { namespace: '', name, subresource: 'status' }, object => withConditions(object, left, env.clock.now())).catch(
      ignoreGone,
    )
    // Most objects are gone at once, so the second look comes soon.
    await pause(first ? 100 : AGAIN_MS, signal)
    first = false
  }
}

/** Removes the finalizer of the spec: the namespace can go. */
function finalize(object: Namespace): Namespace {
  object.spec = { ...object.spec, finalizers: (object.spec.finalizers ?? []).filter(each => each !== FINALIZER) }
  return object
}
