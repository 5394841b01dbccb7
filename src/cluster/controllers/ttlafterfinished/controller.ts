import { objectKey } from '../../../clients/api-client.ts'
import { untilAborted } from '../../../lib/on-abort.ts'
import { isStatusError } from '../../../meta/status.ts'
import { type ClusterPart, queueOf, untilSynced } from '../../shared/environment.ts'
import { JOBS } from '../../shared/kinds.ts'
import { timeLeft } from './time-left.ts'

const WORKERS = 5

/** Deletes finished Jobs after `ttlSecondsAfterFinished`, with their pods. A key is a Job. */
export const ttlAfterFinishedController: ClusterPart = async (env, signal) => {
  const { client, clock, informers } = env
  const jobs = informers.of(JOBS)
  const queue = queueOf(env, 'ttl_jobs_to_delete', signal, {
    workers: WORKERS,
    async work(key) {
      const job = jobs.store.get(key)
      if (job === undefined || waits(key, timeLeft(job, clock.now()))) return
      const { namespace = '', name = '' } = job.metadata
      try {
        // The limit may have been raised since.
        const fresh = await client.get(JOBS, namespace, name)
        if (waits(key, timeLeft(fresh, clock.now()))) return
        await client.delete(JOBS, namespace, name, { propagationPolicy: 'Foreground', uid: fresh.metadata.uid ?? '' })
      } catch (error) {
        if (!isStatusError(error, 'NotFound')) throw error
      }
    },
  })
  /** Reports whether a job has not expired, and looks at it when it does. */
  const waits = (key: string, left: number | undefined): boolean => {
    if (left !== undefined && left > 0) queue.addAfter(key, left)
    return left === undefined || left > 0
  }
  if (!(await untilSynced([jobs], signal))) return
  jobs.on({ added: job => queue.add(objectKey(job)), updated: job => queue.add(objectKey(job)) })
  await untilAborted(signal)
}
