import type { Catalog } from '../../catalog/catalog.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { untilAborted } from '../../lib/on-abort.ts'
import { pause } from '../../lib/pause.ts'
import { SerialSteps } from '../../lib/serial-steps.ts'
import type { Controller } from '../controller.ts'
import { WorkQueue } from '../controller.ts'
import { Collector } from './collector.ts'
import { OwnerGraph } from './graph.ts'
import { invalidOwnerEvents } from './invalid-owner-events.ts'
import { OwnerKinds } from './kinds.ts'
import { Monitors } from './monitors.ts'
import { Objects } from './objects.ts'

const WORKERS = 16
/** More than WORKERS, because each waits for the watches first. */
const ORPHANING_WORKERS = 32
/**
 * Time to wait for the initial lists before collection starts, in milliseconds. Bounded, because a watch may fail
 * permanently.
 */
const SYNC_MS = 30_000

/**
 * Deletes objects whose owners do not exist, and completes foreground and orphan deletions.
 * https://kubernetes.io/docs/concepts/architecture/garbage-collection/
 */
export const garbageCollector =
  (catalog: Catalog): Controller =>
  async (env, signal) => {
    const failed = (what: string) => (uid: string, error: unknown) => env.logger.debug(2, what, { uid, error: errorMessage(error) })
    const examining = new WorkQueue(
      WORKERS,
      signal,
      uid => begun.then(() => collector.examine(uid)),
      failed('garbage collection of an object failed, retrying'),
      env.queues?.meter('garbage_collector_attempt_to_delete'),
    )
    const orphaning = new WorkQueue(
      ORPHANING_WORKERS,
      signal,
      uid => begun.then(() => collector.orphan(uid)),
      failed('orphaning of dependents failed, retrying'),
      env.queues?.meter('garbage_collector_attempt_to_orphan'),
    )
    const examine = (uid: string): void => examining.add(uid)
    const graph = new OwnerGraph({ examine, orphan: uid => orphaning.add(uid), invalidNamespace: invalidOwnerEvents(env) })
    const changes = new SerialSteps()
    const monitors = new Monitors(env, catalog, graph, changes, signal)
    const collector = new Collector(graph, changes, new Objects(env.access, new OwnerKinds(catalog)), () => monitors.settled(), examine)
    monitors.update()
    const begun = Promise.race([monitors.synced(), pause(SYNC_MS, signal)])
    const unsubscribe = catalog.subscribe(() => {
      monitors.update()
      for (const uid of collector.unknown) examine(uid)
      collector.unknown.clear()
    })
    await untilAborted(signal)
    unsubscribe()
    await monitors.ended()
  }
