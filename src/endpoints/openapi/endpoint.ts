import { createHash } from 'node:crypto'
import type { CatalogSnapshot } from '../../catalog/catalog.ts'
import { JSON_TYPE, type MediaType, negotiateOutput } from '../../codec/negotiate.ts'
import { runAtOnce, runInTurns, type Steps } from '../../lib/steps.ts'
import type { GroupVersionKind } from '../../meta/gvk.ts'
import type { JsonObject } from '../../meta/object.ts'
import { failure } from '../../meta/status.ts'
import type { Exchange } from '../exchange.ts'
import { openApiV2, openApiV3 } from './documents.ts'
import { encodeSwagger } from './gnostic.ts'
import { encodeOpenApi } from './gnostic-v3.ts'
import { kindsByDefinition, TypeResolver } from './kinds.ts'
import { documentOperations, type Operation } from './operations.ts'

export interface OpenApiDocument {
  readonly body: Buffer
  /** SHA-512 in hexadecimal, upper case. */
  readonly hash: string
}

/** The OpenAPI documents of one state of the catalog, each made when first asked for. */
export interface OpenApi {
  /** Makes what `v2` and `v2Proto` are of, in steps; either makes it at once otherwise. */
  prepareV2(): Steps<void>
  /** Likewise for `v3Index`. */
  prepareV3(): Steps<void>
  v2(): OpenApiDocument
  /** The same as gnostic's protobuf. */
  v2Proto(): OpenApiDocument
  /** `{ paths: { 'api/v1': { serverRelativeURL } } }` */
  v3Index(): OpenApiDocument
  /** `path`: `api/v1`, `apis/apps/v1`. */
  v3(path: string): OpenApiDocument | undefined
  /** The same as gnostic's protobuf, under the same hash. */
  v3Proto(path: string): OpenApiDocument | undefined
}

const RELEASE = 'v1.33.0'

export function createOpenApi(snapshot: CatalogSnapshot, release = RELEASE): OpenApi {
  const made = new Map<string, OpenApiDocument>()
  const once = (id: string, make: () => Buffer): OpenApiDocument => {
    let document = made.get(id)
    if (!document) {
      const body = make()
      document = { body, hash: createHash('sha512').update(body).digest('hex').toUpperCase() }
      made.set(id, document)
    }
    return document
  }
  const text = (value: object): Buffer => Buffer.from(JSON.stringify(value))
  let operations: Map<string, () => Operation[]> | undefined
  let kinds: Map<string, GroupVersionKind[]> | undefined
  let swagger: JsonObject | undefined
  const documents = (): Map<string, () => Operation[]> => {
    operations ??= documentOperations(snapshot)
    return operations
  }
  const v2 = (): JsonObject => {
    swagger ??= runAtOnce(openApiV2(snapshot, release))
    return swagger
  }
  const api: OpenApi = {
    *prepareV2() {
      swagger ??= yield* openApiV2(snapshot, release)
    },
    *prepareV3() {
      for (const path of documents().keys()) {
        api.v3(path)
        yield
      }
    },
    v2: () => once('v2', () => text(v2())),
    v2Proto: () => once('v2Proto', () => encodeSwagger(v2())),
    v3Index: () =>
      once('v3', () => {
        const paths: JsonObject = {}
        for (const path of documents().keys()) paths[path] = { serverRelativeURL: relativeUrl(path, (api.v3(path) as OpenApiDocument).hash) }
        return text({ paths })
      }),
    v3(path) {
      const make = documents().get(path)
      if (!make) return undefined
      kinds ??= kindsByDefinition(snapshot)
      const known = kinds
      return once(`v3/${path}`, () => text(openApiV3(make(), new TypeResolver(3, known), release)))
    },
    v3Proto(path) {
      const json = api.v3(path)
      return json && { body: once(`v3Proto/${path}`, () => encodeOpenApi(JSON.parse(json.body.toString()))).body, hash: json.hash }
    },
  }
  return api
}

const relativeUrl = (path: string, hash: string): string => `/openapi/v3/${path}?hash=${hash}`

const PROTO_V2 = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf'
const offerV2: readonly MediaType[] = [
  { type: JSON_TYPE, stream: false },
  { type: 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf', stream: false },
  { type: PROTO_V2, stream: false },
]
const PROTO_V3 = 'application/com.github.proto-openapi.spec.v3.v1.0+protobuf'
const offerV3: readonly MediaType[] = [
  { type: JSON_TYPE, stream: false },
  { type: 'application/com.github.proto-openapi.spec.v3@v1.0+protobuf', stream: false },
  { type: PROTO_V3, stream: false },
]
const anyParameters = { allowsTransform: () => true }

/** Serves `/openapi/v2` and `/openapi/v3`. */
export class OpenApiEndpoint {
  private generation = -1
  private current: OpenApi | undefined
  private modified = ''
  private readonly prepared = new Map<'V2' | 'V3', Promise<void>>()

  /** Answers the request, or returns false where the path is none of these. */
  async serve(exchange: Exchange, snapshot: CatalogSnapshot): Promise<boolean> {
    const { path } = exchange
    if (!path.startsWith('/openapi/')) return false
    if (this.generation !== snapshot.generation || !this.current) {
      this.generation = snapshot.generation
      this.current = createOpenApi(snapshot)
      this.prepared.clear()
      this.modified = new Date().toUTCString()
    }
    const openApi = this.current
    if (path === '/openapi/v2') {
      await this.prepare('V2', openApi)
      const type = this.accept(exchange, offerV2)
      if (type === JSON_TYPE) await this.send(exchange, JSON_TYPE, openApi.v2())
      else await this.send(exchange, PROTO_V2, openApi.v2Proto())
      return true
    }
    if (path === '/openapi/v3' || path === '/openapi/v3/') {
      await this.prepare('V3', openApi)
      await this.send(exchange, JSON_TYPE, openApi.v3Index())
      return true
    }
    if (!path.startsWith('/openapi/v3/')) return false
    const name = path.slice('/openapi/v3/'.length)
    const document = openApi.v3(name)
    if (!document) return false
    const type = this.accept(exchange, offerV3)
    const hash = exchange.query.get('hash') ?? ''
    if (hash !== '' && hash !== document.hash) {
      exchange.setHeader('Location', relativeUrl(name, document.hash))
      await exchange.sendBytes(301, 'text/html; charset=utf-8', Buffer.from(`<a href="${relativeUrl(name, document.hash)}">Moved Permanently</a>.\n\n`))
      return true
    }
    if (hash !== '') {
      exchange.setHeader('Cache-Control', 'public, immutable')
      exchange.setHeader('Expires', new Date(Date.now() + 365 * 86_400_000).toUTCString())
    }
    if (type === JSON_TYPE) await this.send(exchange, JSON_TYPE, document)
    else await this.send(exchange, PROTO_V3, openApi.v3Proto(name) as OpenApiDocument)
    return true
  }

  /** Once, for all who ask meanwhile. */
  private async prepare(form: 'V2' | 'V3', openApi: OpenApi): Promise<void> {
    const known = this.prepared.get(form)
    if (known) return known
    const prepared = runInTurns(form === 'V2' ? openApi.prepareV2() : openApi.prepareV3())
    this.prepared.set(form, prepared)
    return prepared
  }

  private accept(exchange: Exchange, offer: readonly MediaType[]): string {
    exchange.setHeader('Vary', 'Accept')
    const accepted = negotiateOutput(exchange.headers.accept, offer, anyParameters)
    if (!accepted) throw failure(406, 'NotAcceptable', '406: Not Acceptable')
    return accepted.mediaType
  }

  private async send(exchange: Exchange, type: string, { body, hash }: OpenApiDocument): Promise<void> {
    const etag = `"${hash}"`
    exchange.setHeader('Etag', etag)
    exchange.setHeader('Last-Modified', this.modified)
    if (exchange.headers['if-none-match']?.split(',').some(tag => tag.trim().replace(/^W\//, '') === etag)) await exchange.sendBytes(304, type, Buffer.alloc(0))
    else await exchange.sendBytes(200, type, body)
  }
}
