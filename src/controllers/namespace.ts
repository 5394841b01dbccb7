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
/** Most objects are gone at once, so the second look comes soon. */
const SOON_MS = 100
/** A namespace that has been tried so often waits for a slow finalizer. */
const OFTEN = 60
const LATE_MS = 8000

/** Namespaces that are emptied at the same time. */
const WORKERS = 4

/** Empties namespaces that are being deleted, reports in their conditions what is left, and lets them go when nothing is. One that keeps content gives its place to others until it is looked at again. */
export const namespaceController =
  (parts: DeletionParts): Controller =>
  async (env, signal) => {
    /** Namespaces that were looked at before: how often. */
    const looks = new Map<string, number>()
    const queue: WorkQueue = new WorkQueue(
      WORKERS,
      signal,
      async name => {
        if (await emptyNamespace(env, parts, name, signal)) {
          looks.delete(name)
          return
        }
        const count = (looks.get(name) ?? 0) + 1
        looks.set(name, count)
        void pause(pauseAfter(count), signal, env.queues?.pauses).then(() => queue.add(name))
      },
      (name, error) => env.logger.debug(2, 'namespace is not empty yet', { namespace: name, error: errorMessage(error) }),
      env.queues?.meter('namespace'),
    )
    const begin = (name: string): void => {
      // Changes of one that is looked at again anyway, such as its conditions, bring that no nearer.
      if (looks.has(name)) return
      looks.set(name, 0)
      void pause(SETTLE_MS, signal, env.queues?.pauses).then(() => queue.add(name))
    }
    await follow(env, NAMESPACES, signal, event => {
      const meta = event.object?.metadata
      if (event.type === 'deleted') looks.delete(meta?.name ?? '')
      else if (meta?.deletionTimestamp !== undefined) begin(meta.name ?? '')
    })
  }

const pauseAfter = (looks: number): number => (looks === 1 ? SOON_MS : looks < OFTEN ? AGAIN_MS : LATE_MS)

/** Deletes all objects of the namespace, and reports in its conditions what remains. False: it must be looked at again. */
async function emptyNamespace(env: ControllerEnvironment, parts: DeletionParts, name: string, signal: AbortSignal): Promise<boolean> {
  const namespace = await getKind(env.access, NAMESPACES, '', name).catch(error => {
    if (isStatusError(error, 'NotFound')) return undefined
    throw error
  })
  if (!namespace?.metadata.deletionTimestamp || !namespace.spec.finalizers?.includes(FINALIZER)) return true
  const left = await deleteContent(env, parts, namespace, signal)
  if (left.isEmpty) {
    await updateKind(env.access, NAMESPACES, { namespace: '', name, subresource: 'finalize' }, finalize).catch(ignoreGone)
    return true
  }
  await updateKind(env.access, NAMESPACES, { namespace: '', name, subresource: 'status' }, object => withConditions(object, left, env.clock.now())).catch(
    ignoreGone,
  )
  return false
}

/** Removes the finalizer of the spec: the namespace can go. */
function finalize(object: Namespace): Namespace {
  object.spec = { ...object.spec, finalizers: (object.spec.finalizers ?? []).filter(each => each !== FINALIZER) }
  return object
}
