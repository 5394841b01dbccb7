import { isJsonObject } from '../../api/meta/object.ts'
import { parseForeignJson } from '../../codec/foreign-json.ts'
import type { ControllerEnvironment } from '../../controllers/controller.ts'
import type { ForeignDocument } from '../../endpoints/aggregator.ts'
import { compareText } from '../../lib/compare-text.ts'
import type { Logger } from '../../lib/log.ts'
import { isStepDone, runInTurns, type Steps, sortInSteps } from '../../lib/steps.ts'
import { deepEqual } from '../../meta/equal.ts'
import type { BackendClient, BackendResponse } from './backend-client.ts'
import { type DocumentContext, DocumentPoll } from './document-poll.ts'
import type { Registration } from './registration.ts'
import type { Registrations } from './registrations.ts'

const ROOT = '/openapi/v3'
const MAX_BYTES = 1 << 20
/** Maximum number of JSON values in an index. Each document takes two; servers have about a hundred documents. */
const MOST_VALUES = 16_384
/** Paths of group versions and below. */
const DOCUMENT = /^apis?\/[A-Za-z0-9._/-]+$/

/** URLs by path (`apis/GROUP/VERSION`). */
type Index = Readonly<Record<string, string>>

/** Index of a server without `/openapi/v3`. */
const NONE: Index = {}

/**
 * Indexes of the `/openapi/v3` documents of aggregated servers. Requests for a document are proxied. Source:
 * k8s.io/kube-aggregator, pkg/controllers/openapiv3.
 */
export class ForeignOpenApiV3 {
  readonly #registrations: Registrations
  readonly #poll: DocumentPoll<Index>

  constructor(registrations: Registrations, client: Pick<BackendClient, 'ask'>, logger: Logger) {
    this.#registrations = registrations
    this.#poll = new DocumentPoll({
      registrations,
      client,
      logger,
      name: 'open_api_v3_aggregation_controller',
      path: ROOT,
      maxBytes: MAX_BYTES,
      read: parseIndex,
    })
  }

  /** Incremented with each change of `paths`. */
  get generation(): number {
    return this.#poll.generation
  }

  /**
   * Returns paths and URLs of all documents, sorted by path. If several servers have a path, the first by name is used.
   * Runs in steps.
   */
  *paths(): Steps<readonly ForeignDocument[]> {
    const found = new Map<string, ForeignDocument>()
    for (const [, index] of this.#byName())
      for (const [path, url] of Object.entries(index)) {
        if (!found.has(path)) found.set(path, { path, url })
        if (isStepDone()) yield
      }
    return yield* sortInSteps([...found.values()], (a, b) => compareText(a.path, b.path))
  }

  /** Whether the server of an APIService has reported that it has no `/openapi/v3`. */
  lacks(name: string): boolean {
    return this.#poll.known.get(name) === NONE
  }

  /** Returns the APIService whose server has the document of a path. */
  registrationOf(path: string): Registration | undefined {
    const [name = ''] = this.#byName().find(([, index]) => Object.hasOwn(index, path)) ?? []
    return this.#registrations.get(name)
  }

  /** Polls until the signal aborts. */
  run(env: ControllerEnvironment, signal: AbortSignal): Promise<void> {
    return this.#poll.run(env, signal)
  }

  #byName(): (readonly [string, Index])[] {
    return [...this.#poll.known].sort(([a], [b]) => (a < b ? -1 : 1))
  }
}

async function parseIndex({ status, body }: BackendResponse, { known }: DocumentContext<Index>): Promise<Index> {
  if (status === 404) return NONE
  if (status !== 200) throw new Error('Error, could not get list of group versions for APIService')
  const next = await runInTurns(readIndex(body))
  return known !== undefined && known !== NONE && deepEqual(next, known) ? known : next
}

/**
 * Parses `{ paths: { 'apis/GROUP/VERSION': { serverRelativeURL } } }`. Entries that are not documents of group versions
 * at their standard URL are dropped, because clients request them from this server.
 */
function* readIndex(body: Buffer): Steps<Index> {
  const value = yield* parseForeignJson(body, MOST_VALUES)
  const paths = isJsonObject(value) ? value.paths : undefined
  if (!isJsonObject(paths)) throw new Error('not an index of OpenAPI documents')
  const found: [string, string][] = []
  for (const [path, entry] of Object.entries(paths)) {
    if (isStepDone()) yield
    const url = isJsonObject(entry) ? entry.serverRelativeURL : undefined
    if (DOCUMENT.test(path) && typeof url === 'string' && (url === `${ROOT}/${path}` || url.startsWith(`${ROOT}/${path}?`)))
      found.push([path, url])
  }
  yield
  return Object.fromEntries(found)
}
