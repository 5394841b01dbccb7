import type { CatalogSnapshot } from '../../catalog/catalog.ts'
import { JSON_TYPE, type MediaType, negotiateOutput } from '../../codec/negotiate.ts'
import { bodyOf } from '../../lib/compressed-body.ts'
import { failure } from '../../meta/status.ts'
import type { Exchange } from '../exchange.ts'
import type { KeptDocument } from './kept-document.ts'
import { KeptDocuments, relativeUrl } from './kept-documents.ts'
import { createOpenApi, nothingSaid, type ReadDescriptions } from './open-api.ts'

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
  private current: KeptDocuments | undefined
  private readonly readDescriptions: ReadDescriptions

  constructor(readDescriptions = nothingSaid) {
    this.readDescriptions = readDescriptions
  }

  /** Answers the request, or returns false where the path is none of these. */
  async serve(exchange: Exchange, snapshot: CatalogSnapshot): Promise<boolean> {
    const { path } = exchange
    if (!path.startsWith('/openapi/')) return false
    if (this.generation !== snapshot.generation || !this.current) {
      this.generation = snapshot.generation
      this.current?.close()
      this.current = new KeptDocuments(createOpenApi(snapshot, this.readDescriptions))
    }
    const documents = this.current
    if (path === '/openapi/v2') {
      const type = this.accept(exchange, offerV2, ['Accept-Encoding', 'Accept'])
      if (type === JSON_TYPE) await this.send(exchange, JSON_TYPE, documents, await documents.v2())
      else await this.send(exchange, PROTO_V2, documents, await documents.v2Proto())
      return true
    }
    if (path === '/openapi/v3' || path === '/openapi/v3/') {
      await this.send(exchange, JSON_TYPE, documents, await documents.v3Index())
      return true
    }
    if (!path.startsWith('/openapi/v3/')) return false
    const name = path.slice('/openapi/v3/'.length)
    if (!documents.hasV3(name)) return false
    await this.serveV3(exchange, documents, name)
    return true
  }

  private async serveV3(exchange: Exchange, documents: KeptDocuments, name: string): Promise<void> {
    const type = this.accept(exchange, offerV3)
    const asked = exchange.query.get('hash') ?? ''
    if (asked !== '') {
      const hash = await documents.hashOf(name)
      if (asked !== hash) {
        exchange.setHeader('Location', relativeUrl(name, hash))
        return exchange.sendBytes(301, 'text/html; charset=utf-8', Buffer.from(`<a href="${relativeUrl(name, hash)}">Moved Permanently</a>.\n\n`))
      }
      exchange.setHeader('Cache-Control', 'public, immutable')
      exchange.setHeader('Expires', new Date(Date.now() + 365 * 86_400_000).toUTCString())
    }
    if (type === JSON_TYPE) await this.send(exchange, JSON_TYPE, documents, await documents.v3(name))
    else await this.send(exchange, PROTO_V3, documents, await documents.v3Proto(name))
  }

  private accept(exchange: Exchange, offer: readonly MediaType[], vary: string | readonly string[] = 'Accept'): string {
    exchange.setHeader('Vary', vary)
    const accepted = negotiateOutput(exchange.headers.accept, offer, anyParameters)
    if (!accepted) throw failure(406, 'NotAcceptable', '406: Not Acceptable')
    return accepted.mediaType
  }

  private async send(exchange: Exchange, type: string, { modified }: KeptDocuments, document: KeptDocument): Promise<void> {
    const etag = `"${document.hash}"`
    exchange.setHeader('Etag', etag)
    exchange.setHeader('Last-Modified', modified)
    if (exchange.headers['if-none-match']?.split(',').some(tag => tag.trim().replace(/^W\//, '') === etag)) await exchange.sendBytes(304, type, Buffer.alloc(0))
    else await exchange.sendBytes(200, type, bodyOf(document))
  }
}
