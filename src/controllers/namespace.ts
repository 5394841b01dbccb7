import type { Namespace } from '../api/core/v1.types.ts'
import { getKind, updateKind } from '../catalog/define.ts'
import { errorMessage } from '../lib/error-message.ts'
import { pause } from '../lib/pause.ts'
import { isStatusError } from '../meta/status.ts'
import { NAMESPACES } from '../resources/kinds.ts'
import { type Controller, type ControllerEnvironment, follow, WorkQueue } from './controller.ts'
import { withConditions } from './namespace-conditions.ts'
import { type DeletionParts, deleteContent, ignoreGone } from './namespace-deletion.ts'

/** Finalizer in the spec that this controller removes. */
const FINALIZER = 'kubernetes'
/**
 * Delay before the first pass, in milliseconds. Afterwards every server has observed the deletion, and creates that
 * started before are visible.
 */
const SETTLE_MS = 500
/** Delay between passes over a namespace that has content, in milliseconds. */
const AGAIN_MS = 1000
/** Delay after the first pass, in milliseconds. Most objects are deleted immediately. */
const SOON_MS = 100
/** Number of passes after which the delay grows to `LATE_MS`: a finalizer is slow. */
const OFTEN = 60
const LATE_MS = 8000

/** Maximum number of namespaces that are processed concurrently. */
const WORKERS = 4

/**
 * Deletes the content of terminating namespaces, reports what remains in their conditions, and removes their finalizer
 * when they are empty. A namespace that still has content yields its worker to others between passes.
 */
export const namespaceController =
  (parts: DeletionParts): Controller =>
  async (env, signal) => {
    /** Number of passes over each namespace. */
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
      (name, error) =>
        env.logger.debug(2, 'cannot delete the content of a namespace, retrying', { namespace: name, error: errorMessage(error) }),
      env.queues?.meter('namespace'),
    )
    const begin = (name: string): void => {
      // A namespace that is already scheduled is not moved forward by changes, such as those of its conditions.
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

/**
 * Deletes the content of a namespace and reports what remains in its conditions. Returns false if another pass is
 * needed.
 */
async function emptyNamespace(env: ControllerEnvironment, parts: DeletionParts, name: string, signal: AbortSignal): Promise<boolean> {
  const namespace = await getKind(env.access, NAMESPACES, '', name).catch(error => {
    if (isStatusError(error, 'NotFound')) return undefined
    throw error
  })
  if (!namespace?.metadata.deletionTimestamp || !namespace.spec.finalizers?.includes(FINALIZER)) return true
  const left = await deleteContent(env, parts, namespace, signal)
  await updateKind(env.access, NAMESPACES, { namespace: '', name, subresource: 'status' }, object =>
    withConditions(object, left, env.clock.now()),
  ).catch(ignoreGone)
  if (left.isEmpty) await updateKind(env.access, NAMESPACES, { namespace: '', name, subresource: 'finalize' }, finalize).catch(ignoreGone)
  return left.isEmpty
}

/** Removes the finalizer from the spec, which lets the namespace be deleted. */
function finalize(object: Namespace): Namespace {
  object.spec = { ...object.spec, finalizers: (object.spec.finalizers ?? []).filter(each => each !== FINALIZER) }
  return object
}
