import { createHash } from 'node:crypto'
import type { ControllerEnvironment } from '../../controllers/controller.ts'
import type { ForeignSwagger } from '../../endpoints/openapi/merge.ts'
import type { Logger } from '../../lib/log.ts'
import { runInTurns, type Steps } from '../../lib/steps.ts'
import type { BackendClient, BackendResponse } from './backend-client.ts'
import { type DocumentContext, DocumentPoll } from './document-poll.ts'
import { byPriority, groupVersionPath } from './registration.ts'
import type { Registrations } from './registrations.ts'
import { readSwagger } from './swagger.ts'

const MAX_BYTES = 16 << 20
/** Maximum size in bytes of a document that is converted for `/openapi/v3`. */
const MAX_CONVERTED_BYTES = 4 << 20

interface CachedSwagger {
  readonly swagger: ForeignSwagger
  /** ETag of the server. Empty if it sends none. */
  readonly etag: string
  /** Hash of the document as received. */
  readonly hash: string
  readonly length: number
}

/**
 * Swagger documents of aggregated servers, for `/openapi/v2`. Source: k8s.io/kube-aggregator, pkg/controllers/openapi.
 */
export class ForeignOpenApiV2 {
  readonly #registrations: Registrations
  readonly #poll: DocumentPoll<CachedSwagger>

  constructor(registrations: Registrations, client: Pick<BackendClient, 'ask'>, logger: Logger) {
    this.#registrations = registrations
    this.#poll = new DocumentPoll({
      registrations,
      client,
      logger,
      name: 'open_api_aggregation_controller',
      path: '/openapi/v2',
      maxBytes: MAX_BYTES,
      etagOf: ({ etag }) => etag,
      read: parseSwagger,
    })
  }

  /** Incremented with each change of `documents`. */
  get generation(): number {
    return this.#poll.generation
  }

  /** Documents by priority of their APIServices. */
  documents(): readonly ForeignSwagger[] {
    const known = [...this.#poll.known].flatMap(([name, { swagger }]) => {
      const registration = this.#registrations.get(name)
      return registration ? [{ registration, swagger }] : []
    })
    return known.sort((a, b) => byPriority(a.registration, b.registration)).map(({ swagger }) => swagger)
  }

  /** Documents of the wanted APIServices, by path of their group version in `/openapi/v3`. */
  convertible(isWanted: (name: string) => boolean): ReadonlyMap<string, ForeignSwagger> {
    const found = new Map<string, ForeignSwagger>()
    for (const [name, { swagger, length }] of this.#poll.known) {
      const registration = this.#registrations.get(name)
      if (registration && length <= MAX_CONVERTED_BYTES && isWanted(name)) found.set(groupVersionPath(registration).slice(1), swagger)
    }
    return found
  }

  /** Polls until the signal aborts. */
  run(env: ControllerEnvironment, signal: AbortSignal): Promise<void> {
    return this.#poll.run(env, signal)
  }
}

/** Bytes hashed per step. */
const HASHED_BYTES = 512 * 1024

/** Hashes a body in steps. */
function* hashInSteps(body: Buffer): Steps<string> {
  const hash = createHash('sha256')
  for (let at = 0; at < body.length; at += HASHED_BYTES) {
    hash.update(body.subarray(at, at + HASHED_BYTES))
    yield
  }
  return hash.digest('base64')
}

/** Parses a response. An equal hash means that the document is unchanged, even without ETag. */
async function parseSwagger(
  { status, etag, body }: BackendResponse,
  { registration, known, signal }: DocumentContext<CachedSwagger>,
): Promise<CachedSwagger | undefined> {
  if (status === 304 && known) return known
  if (status === 404) return undefined
  if (status !== 200) throw new Error(`failed to retrieve openAPI spec, http error: ${status}`)
  const hash = await runInTurns(hashInSteps(body), signal)
  if (hash === known?.hash) return known
  return { swagger: await runInTurns(readSwagger(body, `${groupVersionPath(registration)}/`), signal), etag, hash, length: body.length }
}
