import type { Destination } from '../../catalog/connect.ts'
import { onAbort } from '../../lib/on-abort.ts'

/** What Go's client says of a request that has run out of time. */
export const DEADLINE = 'context deadline exceeded'

/** The address of a backend with what is asked of it. Names in certificates are those of services, whatever the address is. */
export const destinationAt = ({ host, port }: { readonly host: string; readonly port: number }, path: string, query = ''): Destination => ({
  scheme: 'https',
  host,
  port: String(port),
  path,
  query,
  trust: 'anything',
})

/** A signal that aborts with another one, or when the time is over. */
export interface TimeLimit {
  readonly signal: AbortSignal
  /** The time was over first. */
  isOver(): boolean
  dispose(): void
}

export function timeLimit(ms: number, waiting: AbortSignal): TimeLimit {
  const controller = new AbortController()
  let isOver = false
  const timer = setTimeout(() => {
    isOver = !controller.signal.aborted
    controller.abort(new Error(DEADLINE))
  }, ms)
  if (waiting.aborted) controller.abort(waiting.reason)
  const release = onAbort(waiting, () => controller.abort(waiting.reason))
  return {
    signal: controller.signal,
    isOver: () => isOver,
    dispose() {
      clearTimeout(timer)
      release()
    },
  }
}
