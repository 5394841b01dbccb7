import { setTimeout as sleep } from 'node:timers/promises'
import type { EtcdOptions } from '../../../src/storage/etcd/options.ts'
import { prefixEnd } from '../../../src/storage/key-range.ts'
import { foreignClient } from '../foreign-client.ts'
import { eventually } from '../waiting.ts'
import { storedObject } from './journal.ts'
import type { StoreHistory } from './store-history.ts'

/** A store that speaks etcd's protocol as another client sees it: beside the servers, and by none of their code. */
export interface SharedJournal {
  /** Returns the newest revision. Infinity while the store does not respond. */
  revision(): Promise<number>
  compact(revision: number): Promise<void>
  /** Resolves when the history has all that was written before the call. */
  caughtUp(): Promise<void>
  close(): void
}

const ASK_MS = 2000

/**
 * Writes down all changes of a resource from revision 1 on, through restarts of the store. `options`: with the right to
 * read and write below their prefix. `resource`: as `configmaps`.
 */
export function keepSharedJournal(options: EtcdOptions, resource: string, history: StoreHistory): SharedJournal {
  const stop = new AbortController()
  const root = `${options.prefix ?? '/registry'}/`
  const prefix = `${root}${resource}/`
  const range = { key: Buffer.from(root), range_end: Buffer.from(prefixEnd(root)) }
  const client = foreignClient(options)
  let next = 1
  let marks = 0

  /** Reads one stream to its end. */
  async function follow(): Promise<void> {
    // A client of its own: a stream on a connection that was lost would not end before the next call.
    const own = foreignClient(options)
    try {
      const stream = await own.watchClient.watch()
      const abort = (): unknown => stream.cancel()
      stop.signal.addEventListener('abort', abort)
      await new Promise<void>(resolve => {
        stream.on('error', () => resolve())
        stream.on('end', resolve)
        stream.on('data', ({ events, compact_revision: compacted, canceled }) => {
          if (Number(compacted) > 0) history.fault = `the journal came too late: ${compacted} is compacted`
          const from = next
          for (const { type, kv } of events) {
            const revision = Number(kv.mod_revision)
            // A watch of kine on NATS may repeat its first events.
            if (revision < from) continue
            const key = kv.key.toString()
            if (key.startsWith(prefix))
              history.add(key.slice(prefix.length), revision, type === 'Delete' ? undefined : storedObject(kv.value))
            history.revision = Math.max(history.revision, revision)
            next = Math.max(next, revision + 1)
          }
          if (canceled) resolve()
        })
        stream.write({ create_request: { ...range, start_revision: String(next) } })
        if (stop.signal.aborted) abort()
      })
      stop.signal.removeEventListener('abort', abort)
    } finally {
      own.close()
    }
  }

  const run = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      await follow().catch(() => {})
      await sleep(20)
    }
  }
  void run()
  const bounded = () => ({ deadline: Date.now() + ASK_MS })
  return {
    async revision() {
      try {
        return Number((await client.kv.range({ ...range, count_only: true }, bounded())).header.revision)
      } catch {
        return Number.POSITIVE_INFINITY
      }
    },
    async compact(revision) {
      await client.kv.compact({ revision: String(revision) }, bounded()).catch(() => {})
    },
    async caughtUp() {
      let marked = 0
      // A client whose store was away waits before it connects again, for longer than one call may take.
      await eventually(
        'the journal writes a mark',
        async () => {
          const key = Buffer.from(`${root}mark-of-the-journal-${++marks}`)
          // The form in which kine takes a creation.
          const absent = { key, target: 'Mod', result: 'Equal', mod_revision: '0' } as const
          const { header } = await client.kv.txn(
            { compare: [absent], success: [{ request_put: { key, value: Buffer.from('{}') } }] },
            bounded(),
          )
          marked = Number(header.revision)
          return true
        },
        50,
      )
      await eventually('the journal has caught up', () => history.revision >= marked)
    },
    close() {
      stop.abort()
      client.close()
    },
  }
}
