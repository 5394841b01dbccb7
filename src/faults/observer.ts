import type { StorageEvent } from '../storage/storage.ts'
import type { FaultSpec } from './fault-spec.ts'
import type { FaultableRequest } from './faultable-request.ts'

/** Follows the requests of a server and the faults that they have, as `explore` does. */
export interface FaultObserver {
  /**
   * Called before a request for a resource is executed. Returns undefined if the request is not followed, and `severed`
   * if its connection is to be closed without a response.
   */
  request(request: FaultableRequest): ObservedRequest | 'severed' | undefined
  /** Restarts the program of the client. Returns when the restart has begun. */
  restart(request: FaultableRequest): void
  /** Returns a promise that the response to a path of `explore` waits for. Undefined for other paths. */
  barrier?(path: string): Promise<void> | undefined
}

/** One request that is followed. */
export interface ObservedRequest {
  /** Whether held requests and events wait for it if it is a read. They always wait for writes. */
  readonly isActive: boolean
  /** The request has these faults. */
  struck(specs: readonly FaultSpec[]): void
  /** There is a response with this status code, or none (0). A watch has ended then. */
  done(status: number): void
  /** The watch is open. `close` ends it. */
  opened(close: () => void): void
  /** The watch has delivered the events. */
  delivered(events: readonly StorageEvent[]): void
  /** A fault holds the event back, ends the watch before it, or deletes its object. */
  disturbed(does: 'hold' | 'end' | 'delete', event: StorageEvent): void
}
