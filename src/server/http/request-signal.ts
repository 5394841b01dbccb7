import { LightSignal } from '../../lib/light-signal.ts'
import { inNextTurn } from '../../lib/turn.ts'
import type { Wire } from './wire.ts'

/** Signal that is aborted if the client closes the connection or stream of a request, or by `abort`. */
export interface RequestSignal {
  readonly signal: AbortSignal
  abort(reason?: unknown): void
}

/** Shared by all requests: if a thousand watchers close at once, a stack trace for each would hold the event loop. */
const GONE = new DOMException('The client has gone', 'AbortError')

/** Returns the signal of a long-running request, which APIs that require a native signal accept. */
export function nativeSignal(wire: Wire): RequestSignal {
  const controller = new AbortController()
  if (wire.closed) controller.abort(GONE)
  else wire.onClose(() => inNextTurn(() => controller.abort(GONE)))
  return controller
}

/**
 * Returns the signal of a short request, for which an AbortController would cost as much as everything else. Once a
 * response has begun, closing the wire aborts nothing: a complete response closes it as well.
 */
export function lightSignal(wire: Wire, exchange: { readonly answered: boolean }): RequestSignal {
  const signal = new LightSignal(
    () => wire.closed && !exchange.answered,
    gone =>
      wire.onClose(() => {
        if (!exchange.answered) gone()
      }),
  )
  return { signal, abort: reason => signal.abort(reason) }
}
