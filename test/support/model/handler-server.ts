import { setTimeout as sleep } from 'node:timers/promises'
import { Catalog } from '../../../src/catalog/catalog.ts'
import type { ResourceDefinition } from '../../../src/catalog/definition.ts'
import { mediaOffer } from '../../../src/codec/accept-header.ts'
import type { Clock } from '../../../src/lib/clock.ts'
import { isStatusError } from '../../../src/meta/status.ts'
import { codecOf } from '../../../src/registry/codec.ts'
import { Registry } from '../../../src/registry/registry.ts'
import { UNOBSERVED } from '../../../src/schema/declared-rules.ts'
import type { Backend } from '../../../src/storage/backend.ts'
import { createCacher } from '../../../src/storage/cacher/cacher.ts'
import type { Cacher, CacherOptions } from '../../../src/storage/cacher/cacher-types.ts'
import { DirectStorage } from '../../../src/storage/direct/direct-storage.ts'
import { key } from '../../../src/storage/revision.ts'
import type { AnyObject } from '../any-object.ts'
import { apiHandler, type Handler, testApi } from '../api-handler.ts'
import { clockOf } from '../clock-of.ts'
import { FakeExchange, type FakeStream } from '../exchange.ts'
import { featuresOf } from '../hook-context.ts'
import { type ModelRequest, type ModelServer, type ModelStream, onLines } from './model-server.ts'
import type { SeenAnswer } from './seen.ts'

export interface HandlerServerOptions {
  readonly definition: ResourceDefinition
  readonly backend: Backend
  readonly cache: CacherOptions
  /** Whether the watch cache is used. */
  readonly isCached: boolean
  readonly clock: Clock
  readonly watchList: boolean
  /** Watches are ended after this time, or up to twice as much. */
  readonly watchSeconds: number
  newUid(): string
}

const LOST: SeenAnswer = { status: 0, body: {} as AnyObject }
/** More than a watch lets a client have unwritten. */
const MUCH = 300 * 1024

/** A server in this process: all but the sockets. */
export class HandlerServer implements ModelServer {
  readonly cacher: Cacher
  readonly #handler: Handler
  readonly #exchanges = new Set<FakeExchange>()
  readonly #shutdown = new AbortController()
  #killed = false

  constructor({ definition, backend, cache, isCached, clock, watchList, watchSeconds, newUid }: HandlerServerOptions) {
    const name = definition.hub.names.plural
    const cached = { name, prefix: key(`/registry/${definition.storage?.prefix}/`), codec: codecOf(definition, 'model'), namespaced: true }
    this.cacher = createCacher(backend, [cached], { clock, ...cache })
    const direct = new DirectStorage(backend, cached.codec, { ...cache, futureFails: true })
    const catalog = new Catalog([definition])
    const registry = new Registry(catalog, {
      clock,
      etcdPrefix: '/registry',
      features: featuresOf(),
      newUid,
      nameSuffix: () => 'zzzzz',
      admission: { mutate: async request => request.object, validate: async () => {} },
      declared: UNOBSERVED,
      authorizeCreate: async () => {},
      storageFor: () => (isCached ? this.cacher.storageFor(name) : direct),
    })
    const kubelets = { addressTypes: ['InternalIP'], port: 10250 } as const
    const env = {
      catalog,
      registry,
      clock: clockOf(() => clock.now()),
      media: mediaOffer(),
      watchList,
      minRequestTimeoutSeconds: watchSeconds,
      kubelets,
      shutdown: this.#shutdown.signal,
    }
    this.#handler = apiHandler(testApi(env))
  }

  #exchange({ method, path, body, contentType = 'application/json', accept = 'application/json' }: ModelRequest): FakeExchange {
    const [plain = '', search = ''] = path.split('?')
    const headers = { 'content-type': contentType, accept }
    const exchange = new FakeExchange(plain, { method, search, headers, ...(body !== undefined && { body: JSON.stringify(body) }) })
    this.#exchanges.add(exchange)
    return exchange
  }

  async ask(request: ModelRequest): Promise<SeenAnswer> {
    if (this.#killed) return LOST
    const exchange = this.#exchange(request)
    const gone = new Promise<SeenAnswer>(resolve => exchange.client.signal.addEventListener('abort', () => resolve(LOST), { once: true }))
    const served = this.#handler(exchange).then(
      (): SeenAnswer => ({ status: exchange.status, body: exchange.json as AnyObject }),
      refusalOf,
    )
    try {
      return await Promise.race([served, gone])
    } finally {
      this.#exchanges.delete(exchange)
    }
  }

  watch(path: string, accept: string, onEvent: (type: string, object: AnyObject) => void, slow: boolean): ModelStream {
    const exchange = this.#exchange({ method: 'GET', path, accept })
    const { streamed } = exchange
    const take = onLines(line => {
      const { type, object } = JSON.parse(line) as { type: string; object: AnyObject }
      if (!exchange.client.signal.aborted) onEvent(type, object)
    })
    let taken = 0
    streamed.onWrite = () => {
      for (; taken < streamed.writes.length; taken++) take(Buffer.concat(streamed.writes[taken] as Buffer[]).toString())
      if (slow) hold(streamed)
    }
    let refusal: SeenAnswer | undefined
    const served = this.#killed ? Promise.resolve() : this.#handler(exchange)
    if (this.#killed) exchange.client.abort()
    const ended = served
      .catch(error => {
        if (!exchange.client.signal.aborted) refusal = refusalOf(error)
      })
      .then((): 'client' | 'server' => {
        this.#exchanges.delete(exchange)
        return exchange.client.signal.aborted ? 'client' : 'server'
      })
    return {
      get refusal() {
        return refusal
      },
      ended,
      cut: () => exchange.client.abort(),
    }
  }

  /** Ends watches, as at a graceful shutdown. */
  beginShutdown(): void {
    this.#shutdown.abort()
  }

  /** Breaks all connections; what is under way goes on as far as the store lets it. */
  kill(): void {
    this.#killed = true
    for (const exchange of this.#exchanges) exchange.client.abort()
    void this.cacher.close()
  }
}

function hold(stream: FakeStream): void {
  stream.unwritten = MUCH
  stream.taken = sleep(3).then(() => {
    stream.unwritten = 0
  })
}

/** Returns the response of a server to an error. An error that is not a Status is a bug. */
function refusalOf(error: unknown): SeenAnswer {
  if (isStatusError(error)) return { status: error.code, body: error.status as unknown as AnyObject }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return { status: 599, body: { kind: 'Status', message: text } as unknown as AnyObject }
}
