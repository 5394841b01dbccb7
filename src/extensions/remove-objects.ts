import type { ResourceId } from '../catalog/definition.ts'
import type { ControllerEnvironment } from '../controllers/controller.ts'
import { systemClock } from '../lib/clock.ts'
import { eachAtOnce } from '../lib/each-at-once.ts'
import { pause } from '../lib/pause.ts'
import type { TypedObject } from '../meta/object.ts'
import { isStatusError } from '../meta/status.ts'
import type { Condition } from './definition-conditions.ts'

/** Deletes that are under way at the same time. */
const AT_ONCE = 8
/** The pause between two looks doubles from the first to the last. */
const FIRST_LOOK_MS = 50
const LAST_LOOK_MS = 5000
const WAIT_MS = 60_000

const terminating = (status: string, reason: string, message: string): Condition => ({ type: 'Terminating', status, reason, message })

/** Deletes all objects of a resource, and waits a minute for those that have finalizers to be gone. The condition says how it went; with `failure`, it is not done yet. */
export async function removeObjects(
  env: ControllerEnvironment,
  id: ResourceId,
  signal: AbortSignal,
): Promise<{ readonly condition: Condition; readonly failure?: Error }> {
  const failed = (what: string, error: unknown) => {
    const failure = error instanceof Error ? error : new Error(String(error))
    return { condition: terminating('True', 'InstanceDeletionFailed', `could not ${what}: ${failure.message}`), failure }
  }
  let items: readonly TypedObject[]
  try {
    items = (await env.access.list(id, '')).items
  } catch (error) {
    // Of a kind that is not served there is nothing to be had.
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
  return { condition: terminating('True', 'InstanceDeletionCheck', `could not confirm zero CustomResources remaining: ${failure.message}`), failure }
}

const DONE = terminating('False', 'InstanceDeletionCompleted', 'removed all instances')

/** One object, unless it has gone or was replaced meanwhile. */
async function deleteOne(env: ControllerEnvironment, id: ResourceId, { metadata }: TypedObject): Promise<void> {
  const { namespace = '', name = '', uid = '' } = metadata
  await env.access.delete(id, namespace, name, { uid }).catch(error => {
    if (!isStatusError(error, 'NotFound') && !isStatusError(error, 'Conflict')) throw error
  })
}
