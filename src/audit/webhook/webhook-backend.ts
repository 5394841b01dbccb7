import { type Backoff, type BackoffEnvironment, withBackoff } from '../../clients/backoff.ts'
import type { RemoteClient } from '../../clients/remote-client.ts'
import { type FailureListeners, pluginFailed } from '../plugin-failure.ts'
import type { AuditBackend, WrittenEvent } from '../sink.ts'
import { eventList } from './event-list.ts'

/** `timing`: delays of retries, in tests. Failures go to the listeners and are never thrown. */
export interface WebhookParts extends FailureListeners {
  readonly client: RemoteClient
  readonly backoff: Backoff
  /** Aborts retries. */
  readonly signal: AbortSignal
  readonly timing?: BackoffEnvironment
}

/**
 * Maximum bytes of events that are being sent or retried in the blocking modes. Clients disconnect and retry while
 * their first requests still wait, so the number of requests does not bound them.
 */
const MOST_BYTES = 512 * 1024 * 1024
/** Memory of an event besides its bytes. */
const BESIDE_EVENT = 1024

const bytesIn = (events: readonly WrittenEvent[]): number => events.reduce((bytes, { line }) => bytes + line.length + BESIDE_EVENT, 0)

/**
 * Posts events to a webhook as an EventList. Every failure is retried.
 * https://kubernetes.io/docs/tasks/debug/debug-cluster/audit/#webhook-backend
 */
export function webhookBackend({ client, backoff, signal, timing, ...listeners }: WebhookParts): AuditBackend {
  let bytes = 0
  const send = async (events: readonly WrittenEvent[]): Promise<void> => {
    const body = await eventList(events)
    await withBackoff({ ...backoff, isRetried: () => true }, signal, () => client.post(body, signal), timing)
  }
  return {
    async write(events) {
      const size = bytesIn(events)
      const isTooMuch = bytes > 0 && bytes + size > MOST_BYTES
      bytes += size
      try {
        if (isTooMuch) throw new Error('too many events wait for the webhook')
        await send(events)
        return true
      } catch (error) {
        pluginFailed(listeners, 'webhook', error, events)
        return false
      } finally {
        bytes -= size
      }
    },
    close: async () => client.close(),
  }
}
