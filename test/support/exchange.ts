import type { IncomingHttpHeaders } from 'node:http'
import { type Duplex, Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { mediaOffer } from '../../src/codec/accept-header.ts'
import type { Exchange, StreamWriter } from '../../src/endpoints/exchange.ts'
import { type EndpointEnvironment, type InfoOf, Scope } from '../../src/endpoints/scope.ts'
import { type FilledBody, wholeOf } from '../../src/lib/filled-body.ts'
import type { SharedBytes } from '../../src/lib/shared-bytes.ts'
import { nextTurn, turnIsSpent } from '../../src/lib/turn.ts'
import type { RequestInfo, Verb } from '../../src/meta/context.ts'
import { resourceAttributes } from '../../src/meta/request-attributes.ts'
import type { StatusError } from '../../src/meta/status.ts'
import { failure } from '../../src/meta/status.ts'
import { parseRequestInfo } from '../../src/server/filters/request-info.ts'
import { clockOf } from './clock-of.ts'
import type { TestRegistry } from './test-registry.ts'

export interface FakeRequest {
  readonly method?: string
  readonly search?: string
  readonly headers?: IncomingHttpHeaders
  readonly body?: string | Buffer
  readonly userAgent?: string
}

/**
 * Records streamed frames: each array is one write. `accepts` is the number of writes after which the client is too
 * slow.
 */
export class FakeStream implements StreamWriter {
  readonly writes: (readonly Buffer[])[] = []
  open = true
  unwritten = 0
  accepts = Number.POSITIVE_INFINITY
  /** Called after every write. */
  onWrite: () => void = () => {}

  write({ pieces }: SharedBytes): boolean {
    if (!this.open) return false
    if (this.writes.length >= this.accepts) {
      this.open = false
      return false
    }
    this.writes.push(pieces)
    this.onWrite()
    return true
  }

  /** Promise that `drained` returns. */
  taken: Promise<void> = Promise.resolve()

  drained(): Promise<void> {
    return this.taken
  }

  end(): void {
    this.open = false
  }

  get text(): string {
    return Buffer.concat(this.writes.flat()).toString()
  }

  get frames(): Buffer[] {
    return this.writes.flat()
  }
}

const isList = (body: readonly Buffer[] | FilledBody): body is readonly Buffer[] => Array.isArray(body)

/** All of a body. */
export const bytesOf = (body: Buffer | readonly Buffer[] | FilledBody): Buffer =>
  Buffer.isBuffer(body) ? body : isList(body) ? Buffer.concat(body) : wholeOf(body)

/** An exchange without a socket. */
export class FakeExchange implements Exchange {
  readonly method: string
  readonly path: string
  readonly search: string
  readonly headers: IncomingHttpHeaders
  readonly ctx: Exchange['ctx']
  readonly info: RequestInfo
  readonly warnings: string[] = []
  readonly answerHeaders: Record<string, string | readonly string[]> = {}
  readonly rawHeaders: readonly string[]
  readonly remoteAddress = '192.0.2.1'
  readonly asksUpgrade = false
  readonly auditId = 'audit-id'
  delegated = false
  counted: Exchange['counted']
  readonly streamed = new FakeStream()
  /** Ends the request. */
  readonly client = new AbortController()
  status = 0
  contentType = ''
  /** Whether the stream may be compressed. */
  mayCompress = false
  body: Buffer | undefined
  readonly #requestBody: Buffer

  constructor(path: string, { method = 'GET', search = '', headers = {}, body = '', userAgent = 'tester/1.0' }: FakeRequest = {}) {
    this.method = method
    this.path = path
    this.search = search
    this.headers = body.length > 0 ? { 'content-length': String(Buffer.byteLength(body)), ...headers } : headers
    this.rawHeaders = Object.entries(headers).flatMap(([name, value]) => [name, String(value)])
    this.#requestBody = Buffer.from(body)
    this.info = parseRequestInfo(method, path, () => new URLSearchParams(search))
    this.ctx = {
      user: { name: 'tester', groups: [] },
      info: this.info,
      signal: this.client.signal,
      userAgent,
      receivedAt: 0,
      warn: text => void this.warnings.push(text),
    }
  }

  get query(): URLSearchParams {
    return new URLSearchParams(this.search)
  }

  async readBody(limit: number): Promise<Buffer> {
    if (this.#requestBody.length > limit) throw failure(413, 'RequestEntityTooLarge', 'too large')
    // As with a true one, what is done with the body counts from here on.
    if (turnIsSpent()) await nextTurn()
    return this.#requestBody
  }

  bodyStream(): Readable | undefined {
    return this.#requestBody.length === 0 ? undefined : Readable.from([this.#requestBody])
  }

  async relay(status: number, headers: readonly string[], body: Readable): Promise<void> {
    this.status = status
    for (let i = 0; i + 1 < headers.length; i += 2) this.answerHeaders[(headers[i] as string).toLowerCase()] = headers[i + 1] as string
    this.body = await buffer(body)
  }

  delegate(): void {
    this.delegated = true
  }

  hijack(): { socket: Duplex; head: Buffer } {
    throw new Error('there is no connection to take')
  }

  setHeader(name: string, value: string | readonly string[]): void {
    this.answerHeaders[name.toLowerCase()] = value
  }

  async sendBytes(...[status, contentType, body]: Parameters<Exchange['sendBytes']>): Promise<void> {
    if (this.status !== 0) throw new Error('two answers')
    this.status = status
    this.contentType = contentType
    this.body = bytesOf(body)
  }

  async sendStatusError(_error: StatusError): Promise<void> {
    throw new Error('endpoints throw their failures')
  }

  stream(status: number, contentType: string, mayCompress = false): StreamWriter {
    this.status = status
    this.contentType = contentType
    this.mayCompress = mayCompress
    return this.streamed
  }

  get text(): string {
    return this.body?.toString() ?? ''
  }

  get json(): unknown {
    return JSON.parse(this.text)
  }
}

/** Parts of a scope, and members of its environment that differ from the usual ones. */
type ScopeParts = { readonly name?: string; readonly subresource?: string } & Partial<EndpointEnvironment>

/**
 * A scope of the registry's one kind for an exchange, as if it had been authorized for the verb: of the object `name`,
 * or of the collection.
 */
export function scopeOf<V extends Verb>(
  t: TestRegistry,
  exchange: FakeExchange,
  verb: V,
  { name = '', subresource = '', shutdown = new AbortController().signal, media = mediaOffer(), ...env }: ScopeParts = {},
): Scope<V> {
  const served = t.served()
  const environment = {
    catalog: t.catalog,
    registry: t.registry,
    clock: clockOf(() => t.now),
    media,
    watchList: true,
    minRequestTimeoutSeconds: 1800,
    watchOutput: t.watchOutput,
    kubelets: { addressTypes: ['InternalIP'], port: 10250 },
    shutdown,
    ...env,
  }
  const info: InfoOf<V> = {
    ...resourceAttributes({ path: exchange.path, verb, version: 'v1', name, subresource, namespace: 'ns' }),
    isResource: true,
    verb,
    method: exchange.method,
    apiPrefix: 'apis',
    watchPath: false,
    inNamespace: true,
    namesObject: name !== '',
    rest: [],
  }
  return new Scope(exchange, environment, {
    snapshot: t.catalog.snapshot(),
    served,
    subresource: subresource === '' ? undefined : served.version.subresources?.[subresource],
    info,
  })
}
