import { type ControllerEnvironment, WorkQueue } from '../../controllers/controller.ts'
import { pause } from '../../lib/pause.ts'
import type { Registration } from './registration.ts'
import type { Registrations } from './registrations.ts'

/** What is asked of backends again and again. */
export interface Poll {
  /** Of its work queue, in metrics. */
  readonly name: string
  /** Never throws: a backend that does not answer is asked again when its turn comes. */
  ask(registration: Registration, signal: AbortSignal): Promise<void>
  /** The APIService has gone, or has no backend any more. */
  forget(name: string): void
  /** It is going to be asked, as its APIService has changed or the time has come. */
  marked?(name: string): void
}

/** All are asked anew so often. */
const REFRESH_MS = 60_000
/** Backends that hang hold up others only when there are as many of them. */
const WORKERS = 4

/** Asks the backend of each APIService when that changes, and every minute. */
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

  /** Asks until the signal aborts. */
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
