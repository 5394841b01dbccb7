import { type Clock, steadyClock } from '../../lib/clock.ts'
import type { ForeignDocument, ForeignOpenApi } from '../aggregator.ts'
import { type CompressedDocument, compressDocument, hashDocument } from './compressed-document.ts'
import type { DocumentPieces, OpenApi } from './open-api.ts'

/** A document that was not requested for this long is dropped. It is made again when it is requested. */
const KEEP_MS = 5 * 60_000

/** Characters of the index that are made in a step. */
const PIECE_LENGTH = 32 * 1024

/** A hash, and the definitions that its document depends on. */
interface DocumentHash {
  readonly parts: readonly object[]
  readonly hash: Promise<string>
}

/**
 * OpenAPI documents of one state of the catalog. Each is made when it is first requested, and kept in compressed form
 * while it is in use.
 */
export class DocumentCache {
  /** Creation time of this state's documents, for Last-Modified. */
  readonly modified = new Date().toUTCString()
  readonly #openApi: OpenApi
  readonly #clock: Clock
  readonly #foreign: Pick<ForeignOpenApi, 'v3'> | undefined
  readonly #kept = new Map<string, { readonly document: Promise<CompressedDocument>; usedAt: number }>()
  /**
   * Hashes of the documents of `/openapi/v3`, by path. The index lists all of them, and clients request only a few of
   * the documents.
   */
  readonly #hashes = new Map<string, DocumentHash>()
  #timer: NodeJS.Timeout | undefined

  /**
   * `before`: documents of the previous state. A change of one definition leaves most documents unchanged, so their
   * hashes are reused. `foreign`: documents of aggregated servers, which the index lists as well.
   */
  constructor(openApi: OpenApi, before?: DocumentCache, foreign?: Pick<ForeignOpenApi, 'v3'>, clock: Clock = steadyClock) {
    this.#openApi = openApi
    this.#foreign = foreign
    this.#clock = clock
    for (const [path, known] of before ? before.#hashes : [])
      if (openApi.has(path) && sameParts(known.parts, openApi.partsOf(path))) this.#remember(path, known)
  }

  v2(): Promise<CompressedDocument> {
    return this.#once('v2', () => this.#openApi.v2())
  }

  /** Returns the document in gnostic's protobuf form. */
  v2Proto(): Promise<CompressedDocument> {
    return this.#once('v2Proto', () => this.#openApi.v2Proto())
  }

  /** `{ paths: { 'api/v1': { serverRelativeURL } } }` */
  async v3Index(): Promise<CompressedDocument> {
    const own: ForeignDocument[] = []
    for (const path of this.#openApi.paths()) own.push({ path, url: relativeUrl(path, await this.hashOf(path)) })
    return this.#once('v3', () => this.#indexOf(own))
  }

  /**
   * An own document wins over one of the same path of an aggregated server. The text is sent in pieces: thousands of
   * definitions make thousands of paths.
   */
  *#indexOf(own: readonly ForeignDocument[]): DocumentPieces {
    const foreign = this.#foreign ? yield* this.#foreign.v3() : []
    let text = '{"paths":{'
    let separator = ''
    for (const { path, url } of [...own, ...foreign.filter(({ path }) => !this.#openApi.has(path))]) {
      text += `${separator}${JSON.stringify(path)}:${JSON.stringify({ serverRelativeURL: url })}`
      separator = ','
      if (text.length < PIECE_LENGTH) continue
      yield Buffer.from(text)
      text = ''
    }
    yield Buffer.from(`${text}}}`)
  }

  /** Reports whether the document exists, without making it. */
  hasV3(path: string): boolean {
    return this.#openApi.has(path)
  }

  /** Returns the hash of an existing document of `/openapi/v3`. */
  hashOf(path: string): Promise<string> {
    const known = this.#hashes.get(path)
    if (known !== undefined) return known.hash
    const kept = this.#kept.get(`v3/${path}`)?.document
    const hash = kept ? kept.then(document => document.hash) : hashDocument(this.#openApi.v3(path))
    this.#remember(path, { parts: this.#openApi.partsOf(path), hash })
    return hash
  }

  /** Remembers a hash. If computing it fails, it is forgotten and computed again by the next request. */
  #remember(path: string, known: DocumentHash): void {
    this.#hashes.set(path, known)
    known.hash.catch(() => this.#hashes.delete(path))
  }

  v3(path: string): Promise<CompressedDocument> {
    return this.#once(`v3/${path}`, () => this.#openApi.v3(path))
  }

  /** Returns the document in gnostic's protobuf form. Its hash is that of the JSON form. */
  async v3Proto(path: string): Promise<CompressedDocument> {
    const [document, hash] = await Promise.all([this.#once(`v3Proto/${path}`, () => this.#openApi.v3Proto(path)), this.hashOf(path)])
    return { ...document, hash }
  }

  /** Drops all documents. */
  close(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#kept.clear()
  }

  /** Drops documents that were not requested for a while. */
  letGo(): void {
    const before = this.#clock.now() - KEEP_MS
    for (const [id, { usedAt }] of this.#kept) if (usedAt < before) this.#kept.delete(id)
    if (this.#kept.size === 0) this.close()
  }

  /**
   * Returns a document. Concurrent requests share one computation. If it fails, it is repeated for the next request.
   */
  #once(id: string, make: () => DocumentPieces | readonly Buffer[]): Promise<CompressedDocument> {
    const known = this.#kept.get(id)
    if (known) {
      known.usedAt = this.#clock.now()
      return known.document
    }
    const document = compressDocument(make())
    this.#kept.set(id, { document, usedAt: this.#clock.now() })
    document.catch(() => this.#kept.delete(id))
    this.#timer ??= setInterval(() => this.letGo(), KEEP_MS / 5).unref()
    return document
  }
}

const sameParts = (a: readonly object[], b: readonly object[]): boolean => a.length === b.length && a.every((part, i) => part === b[i])

/**
 * Returns the URL of a document of `/openapi/v3`. It includes the hash, so that clients may cache the document as long
 * as the index lists it.
 */
export const relativeUrl = (path: string, hash: string): string => `/openapi/v3/${path}?hash=${hash}`
