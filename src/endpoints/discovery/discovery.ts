import { createHash } from 'node:crypto'
import type { CatalogSnapshot } from '../../catalog/catalog.ts'
import { JSON_TYPE } from '../../codec/accept-header.ts'
import { methodNotAllowedError } from '../../meta/status.ts'
import type { StructSchema } from '../../schema/schema.ts'
import type { Aggregator, ListedGroups } from '../aggregator.ts'
import type { Exchange } from '../exchange.ts'
import { formOf, type Output } from '../forms/form-of.ts'
import { metaType } from '../forms/meta-v1.ts'
import type { Body, Document } from '../forms/response-form.ts'
import { acceptedAggregation, acceptedDocument } from '../negotiate.ts'
import { isBuiltInGroup } from '../not-found.ts'
import { groupDiscoveryList, groupDiscoveryListType } from './aggregated.ts'
import { apiResources, listGroups } from './resources.ts'

/**
 * Paths of the index that depend neither on the catalog nor on gates. Source: `kubectl get --raw /` of kube-apiserver.
 */
export const FIXED_PATHS = [
  '/.well-known/openid-configuration',
  '/api',
  '/apis',
  '/healthz',
  '/livez',
  '/metrics',
  '/openapi/v2',
  '/openapi/v3',
  '/openid/v1/jwks',
  '/readyz',
  '/version',
]

/** Bodies of a document by their form. */
interface CachedDocument {
  /** ETag of the document as JSON. As upstream, it is the same for every form. */
  readonly etag: string
  readonly bodies: Map<string, Buffer>
}

/** A document with its type, by which binary forms are encoded. */
interface Built {
  /** Type of meta/v1 or apidiscovery. */
  readonly schema: StructSchema
  readonly document: Document
}

/**
 * Serves `/api`, `/apis` and the paths below them, down to the resource lists. Each document is made once for each
 * generation of the catalog.
 */
export class Discovery {
  readonly #serverAddress: () => string
  /** Generations of the catalog and of the APIServices to which `documents` belong. */
  #generation = 0
  #aggregation = 0
  /** Omitted if aggregation is off. */
  readonly #aggregator: Pick<Aggregator, 'generation' | 'groups' | 'discovered'> | undefined
  /** Documents by path and version of aggregated discovery. */
  #documents = new Map<string, CachedDocument>()

  readonly #aggregatedVersions: readonly string[]
  readonly #pages: readonly string[]

  /**
   * `serverAddress`: host and port, for `serverAddressByClientCIDRs`. `aggregatedVersions`: served versions of
   * apidiscovery.k8s.io. `pages`: further paths of the index.
   */
  constructor(
    serverAddress: () => string,
    aggregatedVersions: readonly string[] = ['v2'],
    aggregator?: Pick<Aggregator, 'generation' | 'groups' | 'discovered'>,
    pages: readonly string[] = [],
  ) {
    this.#serverAddress = serverAddress
    this.#aggregator = aggregator
    this.#aggregatedVersions = aggregatedVersions
    this.#pages = pages
  }

  /** Serves the request. Returns false if the path does not belong to discovery. Throws 405 and 406. */
  async serve(exchange: Exchange, snapshot: CatalogSnapshot): Promise<boolean> {
    const { path } = exchange
    if (path === '/') return this.#serveIndex(exchange, snapshot)
    const parts = pathSegments(path)
    if (parts === undefined || !this.#isServed(snapshot, parts)) return false
    // Upstream serves discovery of custom resources outside its router, for any method.
    const isRouted = !(parts[0] === 'apis' && parts[1] !== undefined && !isBuiltInGroup(snapshot, parts[1]))
    if (exchange.method !== 'GET' && isRouted) throw methodNotAllowedError()
    const aggregation = parts.length === 1 ? acceptedAggregation(exchange, this.#aggregatedVersions) : undefined
    const output = aggregation ?? acceptedDocument(exchange, isRouted)
    const version = aggregation?.as.version
    const find = (form: Output) =>
      this.#find(snapshot, `${parts.join('/')};${version ?? ''}`, form, () => this.#build(snapshot, parts, version))
    const found = await find(output)
    if (found === undefined) return false
    const { body, etag } = found
    const { audit } = exchange.ctx
    const isKnown = version !== undefined && exchange.headers['if-none-match']?.split(',').some(tag => tag.trim() === etag)
    if (audit?.showsResponse && !isKnown) audit.responseObject((await find({ mediaType: JSON_TYPE, pretty: false }))?.body ?? [])
    if (version === undefined) {
      await exchange.sendBytes(200, output.mediaType, body)
      return true
    }
    exchange.setHeader('Vary', 'Accept')
    exchange.setHeader('ETag', etag)
    const type = `${output.mediaType};g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`
    if (isKnown) await exchange.sendBytes(304, type, Buffer.alloc(0))
    else await exchange.sendBytes(200, type, body)
    return true
  }

  /** Serves the index of paths, which `kubectl get --raw /` prints. */
  async #serveIndex(exchange: Exchange, snapshot: CatalogSnapshot): Promise<boolean> {
    const groups = [...this.#groups(snapshot)].flatMap(([group, versions]) =>
      group === ''
        ? versions.map(({ name }) => `/api/${name}`)
        : [`/apis/${group}`, ...versions.map(({ name }) => `/apis/${group}/${name}`)],
    )
    const paths = [...FIXED_PATHS, ...this.#pages, ...groups].sort()
    await exchange.sendBytes(200, 'application/json', Buffer.from(`${JSON.stringify({ paths }, null, 2)}\n`))
    return true
  }

  /**
   * Returns a document in the negotiated form. It is made at the first request and cached, unless it is so long that it
   * is made while it is sent.
   */
  async #find(
    snapshot: CatalogSnapshot,
    id: string,
    { mediaType, pretty }: Output,
    build: () => Built | undefined,
  ): Promise<{ readonly body: Body; readonly etag: string } | undefined> {
    const aggregation = this.#aggregator?.generation ?? 0
    if (this.#generation !== snapshot.generation || this.#aggregation !== aggregation) {
      this.#generation = snapshot.generation
      this.#aggregation = aggregation
      this.#documents = new Map()
    }
    const documents = this.#documents
    const formId = `${mediaType};${pretty}`
    const known = documents.get(id)
    const ready = known?.bodies.get(formId)
    if (known && ready) return { body: ready, etag: known.etag }
    const built = build()
    if (built === undefined) return undefined
    const kept = known ?? { etag: etagOf(built.document), bodies: new Map() }
    documents.set(id, kept)
    const body = await formOf({ mediaType, pretty }).document(built.schema, built.document)
    if (Buffer.isBuffer(body)) kept.bodies.set(formId, body)
    return { body, etag: kept.etag }
  }

  /** Returns undefined if the path is not served. `aggregated`: the version of aggregated discovery. */
  #build(snapshot: CatalogSnapshot, parts: readonly string[], aggregated: string | undefined): Built | undefined {
    if (aggregated !== undefined) {
      const groups = this.#aggregator?.discovered(snapshot) ?? listGroups(snapshot)
      return { schema: groupDiscoveryListType(), document: groupDiscoveryList(snapshot, groups, parts[0] === 'api', aggregated) }
    }
    const document = this.#plainDocument(snapshot, parts)
    return document && { schema: metaType(`meta.${document.kind}`), document }
  }

  /**
   * https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-uris. Members are in the order in which Go
   * writes them.
   */
  #plainDocument(snapshot: CatalogSnapshot, [root, second, third]: readonly string[]): Document | undefined {
    const listed = this.#groups(snapshot)
    // A group that APIServices do not list is served all the same.
    const groupOf = (name: string) => listed.get(name) ?? listGroups(snapshot).get(name)
    if (root === 'api') {
      const versions = (groupOf('') ?? []).map(version => version.name)
      if (second === undefined)
        return {
          kind: 'APIVersions',
          versions,
          serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: this.#serverAddress() }],
        }
      return versions.includes(second)
        ? { kind: 'APIResourceList', groupVersion: second, resources: apiResources(snapshot, second) }
        : undefined
    }
    const group = (name: string) => {
      const versions = (groupOf(name) ?? []).map(version => ({ groupVersion: version.groupVersion, version: version.name }))
      const [preferredVersion] = versions
      return { name, versions, ...(preferredVersion && { preferredVersion }) }
    }
    if (second === undefined)
      return { kind: 'APIGroupList', apiVersion: 'v1', groups: [...listed.keys()].filter(name => name !== '').map(group) }
    if (second === '' || !groupOf(second)) return undefined
    if (third === undefined) return { kind: 'APIGroup', apiVersion: 'v1', ...group(second) }
    const groupVersion = `${second}/${third}`
    if (snapshot.resourcesOf(groupVersion).length === 0) return undefined
    return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources: apiResources(snapshot, groupVersion) }
  }

  #groups(snapshot: CatalogSnapshot): ListedGroups {
    return this.#aggregator?.groups(snapshot) ?? listGroups(snapshot)
  }

  /** Reports whether the group or version exists. Only then is the method checked. */
  #isServed(snapshot: CatalogSnapshot, [root, second, third]: readonly string[]): boolean {
    if (second === undefined) return true
    if (root === 'api') return snapshot.resourcesOf(second).length > 0
    if (third !== undefined) return snapshot.resourcesOf(`${second}/${third}`).length > 0
    return snapshot.servedGroupVersions().some(groupVersion => groupVersion.startsWith(`${second}/`)) || this.#groups(snapshot).has(second)
  }
}

/**
 * Returns the segments of a path that may belong to discovery. Trailing slashes are ignored; repeated slashes elsewhere
 * match no path.
 */
function pathSegments(path: string): readonly string[] | undefined {
  if (path.startsWith('/apis//')) return undefined
  let end = path.length
  while (end > 1 && path.charCodeAt(end - 1) === 47) end--
  const parts = path.slice(1, end).split('/')
  if (parts.includes('')) return undefined
  return (parts[0] === 'api' && parts.length <= 2) || (parts[0] === 'apis' && parts.length <= 3) ? parts : undefined
}

/** Returns the SHA-512 of the document as JSON, as upstream computes it. */
const etagOf = (document: Document): string =>
  `"${createHash('sha512')
    .update(`${JSON.stringify(document)}\n`)
    .digest('hex')
    .toUpperCase()}"`
