import { type ControllerEnvironment, WorkQueue } from '../../controllers/controller.ts'
import { pause } from '../../lib/pause.ts'
import type { Registration } from './registration.ts'
import type { Registrations } from './registrations.ts'

/** A periodic request to all aggregated servers. */
export interface Poll {
  /** Name of its work queue, in metrics. */
  readonly name: string
  /** Sends the request. Never throws: a server that does not respond is polled again later. */
  ask(registration: Registration, signal: AbortSignal): Promise<void>
  /** Called when the APIService was deleted or became local. */
  forget(name: string): void
  /** Optional. Called when a request is queued, after a change of the APIService or periodically. */
  marked?(name: string): void
}

/** Interval between polls, in milliseconds. */
const REFRESH_MS = 60_000
/** Number of workers. Servers that hang delay others only if there are as many of them. */
const WORKERS = 4

/** Polls the server of each APIService when that changes, and every minute. */
export class BackendPoll {
  readonly #registrations: Registrations
  readonly #poll: Poll
  #queue: WorkQueue | undefined

  constructor(registrations: Registrations, poll: Poll) {
    this.#registrations = registrations
    this.#poll = poll
    registrations.subscribe(({ name, registration }) => {
      if (registration?.backend) this.#mark(name)
      else poll.forget(name)
    })
  }

  /** Polls until the signal aborts. */
  async run(env: ControllerEnvironment, signal: AbortSignal): Promise<void> {
    const ask = async (name: string): Promise<void> => {
      const registration = this.#registrations.get(name)
      if (registration?.backend) await this.#poll.ask(registration, signal)
    }
    this.#queue = new WorkQueue(WORKERS, signal, ask, () => {}, env.queues?.meter(this.#poll.name))
    for (const { name } of this.#registrations.remote()) this.#mark(name)
    while (!signal.aborted) {
      await pause(REFRESH_MS, signal)
      for (const { name } of this.#registrations.remote()) this.#mark(name)
    }
  }

  #mark(name: string): void {
    this.#poll.marked?.(name)
    this.#queue?.add(name)
  }
}
