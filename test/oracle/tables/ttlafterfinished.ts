import type { Job } from '../../../src/api/batch/v1.types.ts'
import { timeLeft } from '../../../src/cluster/controllers/ttlafterfinished/time-left.ts'
import { formatTime } from '../../../src/meta/time.ts'

const NOW = Date.parse('2024-01-01T00:00:00Z')

/** Functions of the tables, or the reason why a table has none. */
export const TABLES: Readonly<Record<string, ((given: never) => unknown) | string>> = {
  // A job without an end or a limit is an error upstream, and is never deleted.
  'time-left'({ ttl, finished, ago = 0 }: { ttl: number | null; finished: string | null; ago?: number }) {
    const job: unknown = {
      metadata: {},
      spec: ttl === null ? {} : { ttlSecondsAfterFinished: ttl },
      status:
        finished === null ? {} : { conditions: [{ type: finished, status: 'True', lastTransitionTime: formatTime(NOW - ago * 1000) }] },
    }
    const left = timeLeft(job as Job, NOW)
    return left === undefined ? 'error' : Math.max(0, left / 1000)
  },
}
