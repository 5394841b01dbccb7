import type { TypedObject } from '../api/meta/object.ts'
import type { ResourceId } from '../catalog/resource-access.ts'
import type { ControllerEnvironment } from '../controllers/controller.ts'
import { systemClock } from '../lib/clock.ts'
import { eachAtOnce } from '../lib/each-at-once.ts'
import { pause } from '../lib/pause.ts'
import { isStatusError } from '../meta/status.ts'
import type { DefinitionCondition } from './definition-conditions.ts'

/** Maximum number of concurrent deletions. */
const AT_ONCE = 8
/** Delay between checks in milliseconds. Doubles from the first to the last value. */
const FIRST_LOOK_MS = 50
const LAST_LOOK_MS = 5000
const WAIT_MS = 60_000

const terminating = (status: string, reason: string, message: string): DefinitionCondition => ({
  type: 'Terminating',
  status,
  reason,
  message,
})

/**
 * Deletes all objects of a resource, and waits up to a minute for those with finalizers. Returns the condition to
 * report. `failure` is set if the deletion is not complete.
 */
export async function removeObjects(
  env: ControllerEnvironment,
  id: ResourceId,
  signal: AbortSignal,
): Promise<{ readonly condition: DefinitionCondition; readonly failure?: Error }> {
  const failed = (what: string, error: unknown) => {
    const failure = error instanceof Error ? error : new Error(String(error))
    return { condition: terminating('True', 'InstanceDeletionFailed', `could not ${what}: ${failure.message}`), failure }
  }
  let items: readonly TypedObject[]
  try {
    items = (await env.access.list(id, '')).items
  } catch (error) {
    // The kind is not served, so it has no accessible objects.
    if (isStatusError(error, 'NotFound')) return { condition: DONE }
    return failed('list instances', error)
  }
  try {
    await eachAtOnce(items, AT_ONCE, item => deleteOne(env, id, item))
  } catch (error) {
    return failed('issue all deletes', error)
  }
  const pauses = env.queues?.pauses ?? systemClock
  const start = pauses.steady.now()
  for (let wait = FIRST_LOOK_MS; !signal.aborted; wait = Math.min(2 * wait, LAST_LOOK_MS)) {
    if ((await env.access.list(id, '')).items.length === 0) return { condition: DONE }
    if (pauses.steady.now() - start > WAIT_MS) break
    await pause(wait, signal, pauses)
  }
  const failure = new Error('timed out waiting for the condition')
  return {
    condition: terminating('True', 'InstanceDeletionCheck', `could not confirm zero CustomResources remaining: ${failure.message}`),
    failure,
  }
}

const DONE = terminating('False', 'InstanceDeletionCompleted', 'removed all instances')

/** Deletes one object, unless it was deleted or replaced meanwhile. */
async function deleteOne(env: ControllerEnvironment, id: ResourceId, { metadata }: TypedObject): Promise<void> {
  const { namespace = '', name = '', uid = '' } = metadata
  await env.access.delete(id, namespace, name, { uid }).catch(error => {
    if (!isStatusError(error, 'NotFound') && !isStatusError(error, 'Conflict')) throw error
  })
}
