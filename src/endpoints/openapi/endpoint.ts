import type { CatalogSnapshot } from '../../catalog/catalog.ts'
import { JSON_TYPE, negotiateOutput } from '../../codec/accept-header.ts'
import { decompressBody } from '../../lib/compressed-body.ts'
import { failure } from '../../meta/status.ts'
import type { ForeignOpenApi } from '../aggregator.ts'
import type { Exchange } from '../exchange.ts'
import type { CompressedDocument } from './compressed-document.ts'
import { DocumentCache, relativeUrl } from './document-cache.ts'
import { withConverted } from './from-v2.ts'
import { createOpenApi, nothingSaid, type ReadDescriptions } from './open-api.ts'

/** A form of a document. Negotiation chooses one by its media type. */
interface DocumentForm {
  /** Media type as it is offered. */
  readonly mediaType: string
  readonly contentType: string
  v2(documents: DocumentCache): Promise<CompressedDocument>
  v3(documents: DocumentCache, path: string): Promise<CompressedDocument>
}

const AS_JSON: DocumentForm = {
  mediaType: JSON_TYPE,
  contentType: JSON_TYPE,
  v2: documents => documents.v2(),
  v3: (documents, path) => documents.v3(path),
}

/** gnostic's protobuf. Clients request its type in two spellings. */
const asProtobuf = (mediaType: string, contentType: string): DocumentForm => ({
  mediaType,
  contentType,
  v2: documents => documents.v2Proto(),
  v3: (documents, path) => documents.v3Proto(path),
})

const PROTO_V2 = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf'
const FORMS_V2 = [
  AS_JSON,
  asProtobuf('application/com.github.proto-openapi.spec.v2@v1.0+protobuf', PROTO_V2),
  asProtobuf(PROTO_V2, PROTO_V2),
]
const PROTO_V3 = 'application/com.github.proto-openapi.spec.v3.v1.0+protobuf'
const FORMS_V3 = [
  AS_JSON,
  asProtobuf('application/com.github.proto-openapi.spec.v3@v1.0+protobuf', PROTO_V3),
  asProtobuf(PROTO_V3, PROTO_V3),
]
/** Parameters of these types are ignored, as upstream does: some clients send them. */
const anyParameters = { allowsTransform: () => true }

/** Serves `/openapi/v2` and `/openapi/v3`. */
export class OpenApiEndpoint {
  #generation = -1
  #current: DocumentCache | undefined
  readonly #readDescriptions: ReadDescriptions
  /** Omitted if aggregation is off. */
  readonly #foreign: ForeignOpenApi | undefined
  #foreignGeneration = 0

  constructor(readDescriptions = nothingSaid, foreign?: ForeignOpenApi) {
    this.#readDescriptions = readDescriptions
    this.#foreign = foreign
  }

  /** Serves the request. Returns false for other paths. */
  async serve(exchange: Exchange, snapshot: CatalogSnapshot): Promise<boolean> {
    const { path } = exchange
    if (!path.startsWith('/openapi/')) return false
    const documents = this.#documentsOf(snapshot)
    if (path === '/openapi/v2') {
      const form = this.#accept(exchange, FORMS_V2, ['Accept-Encoding', 'Accept'])
      await this.#send(exchange, form.contentType, documents, await form.v2(documents))
      return true
    }
    if (path === '/openapi/v3') {
      await this.#send(exchange, JSON_TYPE, documents, await documents.v3Index())
      return true
    }
    if (!path.startsWith('/openapi/v3/')) return false
    const name = path.slice('/openapi/v3/'.length)
    if (documents.hasV3(name)) {
      await this.#serveV3(exchange, documents, name)
      return true
    }
    // As kube-openapi, the response for an unknown document is empty.
    await (this.#foreign?.serveV3(exchange, name) ?? exchange.sendBytes(200, '', Buffer.alloc(0)))
    return true
  }

  #documentsOf(snapshot: CatalogSnapshot): DocumentCache {
    const foreignGeneration = this.#foreign?.generation ?? 0
    if (this.#current && this.#generation === snapshot.generation && this.#foreignGeneration === foreignGeneration) return this.#current
    this.#generation = snapshot.generation
    this.#foreignGeneration = foreignGeneration
    const before = this.#current
    before?.close()
    const own = createOpenApi(snapshot, this.#readDescriptions, this.#foreign?.v2())
    this.#current = new DocumentCache(this.#foreign ? withConverted(own, this.#foreign.v2Alone()) : own, before, this.#foreign)
    return this.#current
  }

  /**
   * Serves a document. With `hash` in the query, the response may be cached for a year. An outdated hash redirects to
   * the current one. KEP-2896.
   */
  async #serveV3(exchange: Exchange, documents: DocumentCache, name: string): Promise<void> {
    const form = this.#accept(exchange, FORMS_V3)
    const asked = exchange.query.get('hash') ?? ''
    if (asked !== '') {
      const hash = await documents.hashOf(name)
      if (asked !== hash) {
        exchange.setHeader('Location', relativeUrl(name, hash))
        return exchange.sendBytes(
          301,
          'text/html; charset=utf-8',
          Buffer.from(`<a href="${relativeUrl(name, hash)}">Moved Permanently</a>.\n\n`),
        )
      }
      exchange.setHeader('Cache-Control', 'public, immutable')
      exchange.setHeader('Expires', new Date(Date.now() + 365 * 86_400_000).toUTCString())
    }
    await this.#send(exchange, form.contentType, documents, await form.v3(documents, name))
  }

  /** Negotiates the form. Throws 406. */
  #accept(exchange: Exchange, forms: readonly DocumentForm[], vary: string | readonly string[] = 'Accept'): DocumentForm {
    exchange.setHeader('Vary', vary)
    const accepted = negotiateOutput(
      exchange.headers.accept,
      forms.map(({ mediaType }) => ({ type: mediaType, stream: false })),
      anyParameters,
    )
    const form = forms.find(({ mediaType }) => mediaType === accepted?.mediaType)
    if (!form) throw failure(406, 'NotAcceptable', '406: Not Acceptable')
    return form
  }

  /** Sends a document, or 304 if the client's ETag matches. */
  async #send(exchange: Exchange, type: string, { modified }: DocumentCache, document: CompressedDocument): Promise<void> {
    const etag = `"${document.hash}"`
    exchange.setHeader('Etag', etag)
    exchange.setHeader('Last-Modified', modified)
    if (exchange.headers['if-none-match']?.split(',').some(tag => tag.trim().replace(/^W\//, '') === etag))
      await exchange.sendBytes(304, type, Buffer.alloc(0))
    else await exchange.sendBytes(200, type, decompressBody(document))
  }
}
