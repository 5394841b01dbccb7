import { parseExactlyInSteps } from '../../codec/json.ts'
import type { ControllerEnvironment } from '../../controllers/controller.ts'
import { errorMessage } from '../../lib/error-message.ts'
import type { Logger } from '../../lib/log.ts'
import { runInTurns } from '../../lib/steps.ts'
import { deepEqual } from '../../meta/equal.ts'
import { isJsonObject } from '../../meta/object.ts'
import type { BackendClient } from './backend-client.ts'
import { BackendPoll } from './backend-poll.ts'
import type { Registration } from './registration.ts'
import type { Registrations } from './registrations.ts'

const ROOT = '/openapi/v3'
const TIMEOUT_MS = 60_000
const MAX_BYTES = 1 << 20
/** Of group versions, and what is below them. */
const DOCUMENT = /^apis?\/[A-Za-z0-9._/-]+$/
/** Who asks. */
export const SPEC_READER = { name: 'system:aggregator', groups: [] }

type Index = Readonly<Record<string, string>>

/**
 * Which documents of `/openapi/v3` the backends of APIServices have. A document itself is asked for where it is, when a client asks for it. A backend without such documents has none here.
 * Source: k8s.io/kube-aggregator, pkg/controllers/openapiv3.
 */
export class ForeignOpenApiV3 {
  /** Counts changes of `paths`. */
  generation = 0
  readonly #client: Pick<BackendClient, 'ask'>
  readonly #registrations: Registrations
  readonly #logger: Logger
  readonly #poll: BackendPoll
  /** URLs by path (`apis/GROUP/VERSION`), by name of the APIService. */
  readonly #indexes = new Map<string, Index>()
  /** APIServices whose backends have no `/openapi/v3`. */
  readonly #lacking = new Set<string>()

  constructor(registrations: Registrations, client: Pick<BackendClient, 'ask'>, logger: Logger) {
    this.#registrations = registrations
    this.#client = client
    this.#logger = logger
    this.#poll = new BackendPoll(registrations, {
      name: 'open_api_v3_aggregation_controller',
      ask: (registration, signal) => this.#refresh(registration, signal),
      forget: name => {
        this.#lacking.delete(name)
        if (this.#indexes.delete(name)) this.generation++
      },
    })
  }

  /** Where the documents are, by path; of several backends the first by name counts. */
  paths(): ReadonlyMap<string, string> {
    const found = new Map<string, string>()
    for (const [, index] of [...this.#indexes].sort(([a], [b]) => (a < b ? -1 : 1)))
      for (const [path, url] of Object.entries(index)) if (!found.has(path)) found.set(path, url)
    return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)))
  }

  /** Whether the backend of an APIService has said that it has no such documents. */
  lacks(name: string): boolean {
    return this.#lacking.has(name)
  }

  /** Who has the document of a path. */
  registrationOf(path: string): Registration | undefined {
    for (const [name, index] of [...this.#indexes].sort(([a], [b]) => (a < b ? -1 : 1))) if (Object.hasOwn(index, path)) return this.#registrations.get(name)
    return undefined
  }

  /** Asks until the signal aborts. */
  run(env: ControllerEnvironment, signal: AbortSignal): Promise<void> {
    return this.#poll.run(env, signal)
  }

  async #refresh(registration: Registration, signal: AbortSignal): Promise<void> {
    const { name } = registration
    const question = { path: ROOT, accept: 'application/json', user: SPEC_READER, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES }
    try {
      const { status, body } = await this.#client.ask(registration, question, signal)
      if (status !== 200 && status !== 404) throw new Error('Error, could not get list of group versions for APIService')
      const next = status === 200 ? await readIndex(body) : {}
      const lacks = status === 404
      const isKnown = lacks === this.#lacking.has(name) && deepEqual(next, this.#indexes.get(name))
      if (isKnown || !this.#registrations.get(name)?.backend) return
      this.#indexes.set(name, next)
      if (lacks) this.#lacking.add(name)
      else this.#lacking.delete(name)
      this.generation++
    } catch (error) {
      if (!signal.aborted) this.#logger.debug(2, 'OpenAPI of an aggregated server can not be read', { name, error: errorMessage(error) })
    }
  }
}

/** Reads `{ paths: { 'apis/GROUP/VERSION': { serverRelativeURL } } }`. Only documents of group versions count, at their place: a client asks for them here. */
async function readIndex(body: Buffer): Promise<Index> {
  const { value } = await runInTurns(parseExactlyInSteps(body))
  const paths = isJsonObject(value) ? value.paths : undefined
  if (!isJsonObject(paths)) throw new Error('it is no index of OpenAPI documents')
  const found: [string, string][] = []
  for (const [path, entry] of Object.entries(paths)) {
    const url = isJsonObject(entry) ? entry.serverRelativeURL : undefined
    if (DOCUMENT.test(path) && typeof url === 'string' && (url === `${ROOT}/${path}` || url.startsWith(`${ROOT}/${path}?`))) found.push([path, url])
  }
  return Object.fromEntries(found)
}
