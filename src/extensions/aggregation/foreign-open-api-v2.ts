import { createHash } from 'node:crypto'
import type { ControllerEnvironment } from '../../controllers/controller.ts'
import type { ForeignSwagger } from '../../endpoints/openapi/merge.ts'
import { errorMessage } from '../../lib/error-message.ts'
import type { Logger } from '../../lib/log.ts'
import { runInTurns } from '../../lib/steps.ts'
import type { BackendClient } from './backend-client.ts'
import { BackendPoll } from './backend-poll.ts'
import { SPEC_READER } from './foreign-open-api-v3.ts'
import { byPriority, pathOf, type Registration } from './registration.ts'
import type { Registrations } from './registrations.ts'
import { readSwagger } from './swagger.ts'

const TIMEOUT_MS = 60_000
const MAX_BYTES = 16 << 20
/** Of a document that is converted for `/openapi/v3`. */
const MAX_CONVERTED_BYTES = 4 << 20

interface Known {
  readonly swagger: ForeignSwagger
  /** The backend's; empty: it tells none. */
  readonly etag: string
  /** Of the document as it came. */
  readonly hash: string
  readonly length: number
}

/**
 * What the backends of APIServices say of their group versions in `/openapi/v2`. One that does not answer leaves what it has said before; one that has no document has none here. Source: k8s.io/kube-aggregator,
 * pkg/controllers/openapi.
 */
export class ForeignOpenApiV2 {
  /** Counts changes of `documents`. */
  generation = 0
  readonly #client: Pick<BackendClient, 'ask'>
  readonly #registrations: Registrations
  readonly #logger: Logger
  readonly #poll: BackendPoll
  readonly #known = new Map<string, Known>()

  constructor(registrations: Registrations, client: Pick<BackendClient, 'ask'>, logger: Logger) {
    this.#registrations = registrations
    this.#client = client
    this.#logger = logger
    this.#poll = new BackendPoll(registrations, {
      name: 'open_api_aggregation_controller',
      ask: (registration, signal) => this.#refresh(registration, signal),
      forget: name => this.#forget(name),
    })
  }

  /** By the priority of their APIServices. */
  documents(): readonly ForeignSwagger[] {
    const known = [...this.#known].flatMap(([name, { swagger }]) => {
      const registration = this.#registrations.get(name)
      return registration ? [{ registration, swagger }] : []
    })
    return known.sort((a, b) => byPriority(a.registration, b.registration)).map(({ swagger }) => swagger)
  }

  /** Those of the APIServices that are asked for, by the path of their group version in `/openapi/v3`. */
  convertible(isWanted: (name: string) => boolean): ReadonlyMap<string, ForeignSwagger> {
    const found = new Map<string, ForeignSwagger>()
    for (const [name, { swagger, length }] of this.#known) {
      const registration = this.#registrations.get(name)
      if (registration && length <= MAX_CONVERTED_BYTES && isWanted(name)) found.set(pathOf(registration).slice(1), swagger)
    }
    return found
  }

  /** Asks until the signal aborts. */
  run(env: ControllerEnvironment, signal: AbortSignal): Promise<void> {
    return this.#poll.run(env, signal)
  }

  async #refresh(registration: Registration, signal: AbortSignal): Promise<void> {
    const { name } = registration
    const known = this.#known.get(name)
    const question = { path: '/openapi/v2', accept: 'application/json', user: SPEC_READER, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES }
    try {
      const { status, etag, body } = await this.#client.ask(registration, { ...question, etag: known?.etag ?? '' }, signal)
      if (status === 304 && known) return
      if (status === 404) return this.#forget(name)
      if (status !== 200) throw new Error(`failed to retrieve openAPI spec, http error: ${status}`)
      const hash = createHash('sha256').update(body).digest('base64')
      if (hash === known?.hash) return
      const swagger = await runInTurns(readSwagger(body, `${pathOf(registration)}/`), signal)
      if (!this.#registrations.get(name)?.backend) return
      this.#known.set(name, { swagger, etag, hash, length: body.length })
      this.generation++
    } catch (error) {
      if (!signal.aborted) this.#logger.debug(2, 'OpenAPI of an aggregated server can not be read', { name, error: errorMessage(error) })
    }
  }

  #forget(name: string): void {
    if (this.#known.delete(name)) this.generation++
  }
}
