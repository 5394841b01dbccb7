import type { ControllerEnvironment } from '../../controllers/controller.ts'
import type { Logger } from '../../lib/log.ts'
import type { BackendClient, BackendResponse } from './backend-client.ts'
import { BackendPoll } from './backend-poll.ts'
import { DocumentFailures } from './document-failures.ts'
import type { Registration } from './registration.ts'
import type { Registrations } from './registrations.ts'

/** Options of a document poll. */
export interface DocumentPollOptions<T> {
  /** APIServices whose servers are polled. */
  readonly registrations: Registrations
  /** Sends the requests. */
  readonly client: Pick<BackendClient, 'ask'>
  readonly logger: Logger
  /** Name of its work queue, in metrics. */
  readonly name: string
  /** Path of the document on each server. */
  readonly path: string
  /** Longer documents are rejected. */
  readonly maxBytes: number
  /** Optional. Returns the ETag of a cached document. */
  etagOf?(known: T): string
  /**
   * Parses a response. Returns `known` if it is unchanged, undefined if the server has no document. Throws if it is
   * invalid.
   */
  read(answer: BackendResponse, context: DocumentContext<T>): Promise<T | undefined>
}

/** Circumstances of a response. */
export interface DocumentContext<T> {
  /** APIService of the server. */
  readonly registration: Registration
  /** Last document of the server. Undefined if there is none. */
  readonly known: T | undefined
  /** Aborts when polling ends. */
  readonly signal: AbortSignal
}

/** User of requests for OpenAPI documents. */
const SPEC_READER = { name: 'system:aggregator', groups: [] }
/** Time for one document, in milliseconds. */
const TIMEOUT_MS = 60_000

/**
 * OpenAPI documents of aggregated servers, by name of their APIService. A server that does not respond keeps its last
 * document.
 */
export class DocumentPoll<T> {
  /** Incremented with each change of `known`. */
  generation = 0
  /** The last document of each server, by the name of its APIService. */
  readonly known: ReadonlyMap<string, T>
  readonly #known = new Map<string, T>()
  readonly #options: DocumentPollOptions<T>
  readonly #poll: BackendPoll
  readonly #failures: DocumentFailures

  constructor(options: DocumentPollOptions<T>) {
    this.#options = options
    this.known = this.#known
    this.#failures = new DocumentFailures(options.logger, 'cannot read the OpenAPI document of an aggregated server')
    this.#poll = new BackendPoll(options.registrations, {
      name: options.name,
      ask: (registration, signal) => this.#refresh(registration, signal),
      forget: name => this.#forget(name),
    })
  }

  /** Polls until the signal aborts. */
  run(env: ControllerEnvironment, signal: AbortSignal): Promise<void> {
    return this.#poll.run(env, signal)
  }

  /** Fetches and parses the document of one APIService. */
  async #refresh(registration: Registration, signal: AbortSignal): Promise<void> {
    const { registrations, client, path, maxBytes, etagOf, read } = this.#options
    const { name } = registration
    const known = this.#known.get(name)
    const etag = known === undefined ? '' : (etagOf?.(known) ?? '')
    try {
      const question = { path, maxBytes, accept: 'application/json', user: SPEC_READER, timeoutMs: TIMEOUT_MS, etag }
      const answer = await client.ask(registration, question, signal)
      const next = await read(answer, { registration, known, signal })
      this.#failures.passed(name)
      if (next === undefined) return this.#forget(name)
      // The APIService may have been deleted meanwhile.
      if (next === known || !registrations.get(name)?.backend) return
      this.#known.set(name, next)
      this.generation++
    } catch (error) {
      if (!signal.aborted) this.#failures.failed(name, error)
    }
  }

  /** Drops the document of a server, which has none any longer, or whose APIService was deleted. */
  #forget(name: string): void {
    this.#failures.passed(name)
    if (this.#known.delete(name)) this.generation++
  }
}
