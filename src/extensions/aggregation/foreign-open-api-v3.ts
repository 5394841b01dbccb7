import { parseForeignJson } from '../../codec/foreign-json.ts'
import type { ControllerEnvironment } from '../../controllers/controller.ts'
import type { ForeignDocument } from '../../endpoints/aggregator.ts'
import { compareText } from '../../lib/compare-text.ts'
import type { Logger } from '../../lib/log.ts'
import { isStepDone, runInTurns, type Steps, sorted } from '../../lib/steps.ts'
import { deepEqual } from '../../meta/equal.ts'
import { isJsonObject } from '../../meta/object.ts'
import type { BackendAnswer, BackendClient } from './backend-client.ts'
import { type DocumentContext, DocumentPoll } from './document-poll.ts'
import type { Registration } from './registration.ts'
import type { Registrations } from './registrations.ts'

const ROOT = '/openapi/v3'
const MAX_BYTES = 1 << 20
/** Values of an index, of which each document takes two: servers have some hundred documents. */
const MOST_VALUES = 16_384
/** Of group versions, and what is below them. */
const DOCUMENT = /^apis?\/[A-Za-z0-9._/-]+$/

/** URLs by path (`apis/GROUP/VERSION`). */
type Index = Readonly<Record<string, string>>

/** Of a backend that has no `/openapi/v3`. */
const NONE: Index = {}

/**
 * Which documents of `/openapi/v3` the backends of APIServices have. A document itself is asked for where it is, when a client asks for it. Source: k8s.io/kube-aggregator, pkg/controllers/openapiv3.
 */
export class ForeignOpenApiV3 {
  readonly #registrations: Registrations
  readonly #poll: DocumentPoll<Index>

  constructor(registrations: Registrations, client: Pick<BackendClient, 'ask'>, logger: Logger) {
    this.#registrations = registrations
    this.#poll = new DocumentPoll({ registrations, client, logger, name: 'open_api_v3_aggregation_controller', path: ROOT, maxBytes: MAX_BYTES, read })
  }

  /** Counts changes of `paths`. */
  get generation(): number {
    return this.#poll.generation
  }

  /** Where the documents are, in steps: paths with their URLs, sorted; of several backends the first by name counts. */
  *paths(): Steps<readonly ForeignDocument[]> {
    const found = new Map<string, ForeignDocument>()
    for (const [, index] of this.#byName())
      for (const [path, url] of Object.entries(index)) {
        if (!found.has(path)) found.set(path, { path, url })
        if (isStepDone()) yield
      }
    return yield* sorted([...found.values()], (a, b) => compareText(a.path, b.path))
  }

  /** Whether the backend of an APIService has said that it has no such documents. */
  lacks(name: string): boolean {
    return this.#poll.known.get(name) === NONE
  }

  /** Who has the document of a path. */
  registrationOf(path: string): Registration | undefined {
    const [name = ''] = this.#byName().find(([, index]) => Object.hasOwn(index, path)) ?? []
    return this.#registrations.get(name)
  }

  /** Asks until the signal aborts. */
  run(env: ControllerEnvironment, signal: AbortSignal): Promise<void> {
    return this.#poll.run(env, signal)
  }

  #byName(): (readonly [string, Index])[] {
    return [...this.#poll.known].sort(([a], [b]) => (a < b ? -1 : 1))
  }
}

async function read({ status, body }: BackendAnswer, { known }: DocumentContext<Index>): Promise<Index> {
  if (status === 404) return NONE
  if (status !== 200) throw new Error('Error, could not get list of group versions for APIService')
  const next = await runInTurns(readIndex(body))
  return known !== undefined && known !== NONE && deepEqual(next, known) ? known : next
}

/** Reads `{ paths: { 'apis/GROUP/VERSION': { serverRelativeURL } } }`. Only documents of group versions count, at their place: a client asks for them here. */
function* readIndex(body: Buffer): Steps<Index> {
  const value = yield* parseForeignJson(body, MOST_VALUES)
  const paths = isJsonObject(value) ? value.paths : undefined
  if (!isJsonObject(paths)) throw new Error('it is no index of OpenAPI documents')
  const found: [string, string][] = []
  for (const [path, entry] of Object.entries(paths)) {
    if (isStepDone()) yield
    const url = isJsonObject(entry) ? entry.serverRelativeURL : undefined
    if (DOCUMENT.test(path) && typeof url === 'string' && (url === `${ROOT}/${path}` || url.startsWith(`${ROOT}/${path}?`))) found.push([path, url])
  }
  yield
  return Object.fromEntries(found)
}
