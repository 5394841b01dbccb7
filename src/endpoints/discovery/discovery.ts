import { createHash } from 'node:crypto'
import type { CatalogSnapshot } from '../../catalog/catalog.ts'
import { indentJson } from '../../codec/json-indent.ts'
import {
  builtinMediaTypes,
  formatOf,
  JSON_TYPE,
  NEUTRAL_PROTOBUF_TYPE,
  negotiateOutput,
  notAcceptableText,
  offeredTypes,
  prefersPretty,
  routeAccepts,
  routeNotAcceptableText,
} from '../../codec/negotiate.ts'
import { encodeProtobuf } from '../../codec/protobuf.ts'
import { yamlBytes } from '../../codec/yaml.ts'
import { splitAt } from '../../lib/split-text.ts'
import type { JsonObject } from '../../meta/object.ts'
import { failure, methodNotAllowedError } from '../../meta/status.ts'
import { decode } from '../../schema/decode.ts'
import type { Exchange } from '../exchange.ts'
import { metaType } from '../meta-type.ts'
import { isBuiltInGroup } from '../not-found.ts'
import { groupDiscoveryList } from './aggregated.ts'
import { apiResources, groupsOf } from './resources.ts'

const FIXED_PATHS = [
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

interface Document {
  readonly bytes: Buffer
  readonly etag: string
}

/** Serves `/api`, `/apis` and what is below them down to the resource lists; each document is made once per generation of the catalog. */
export class Discovery {
  private readonly serverAddress: () => string
  private generation = 0
  private readonly documents = new Map<string, Document>()

  /** `serverAddress`: host and port, for `serverAddressByClientCIDRs`. */
  constructor(serverAddress: () => string) {
    this.serverAddress = serverAddress
  }

  /** Answers the request, or returns false where the path is not one of discovery's. */
  async serve(exchange: Exchange, snapshot: CatalogSnapshot): Promise<boolean> {
    const { path } = exchange
    if (path === '/') return this.serveIndex(exchange, snapshot)
    const parts = partsOf(path)
    if (parts === undefined || !isServed(snapshot, parts)) return false
    // Upstream serves what it tells of custom kinds past its router, by any method.
    if (exchange.method !== 'GET' && !(parts[0] === 'apis' && parts[1] !== undefined && !isBuiltInGroup(snapshot, parts[1]))) throw methodNotAllowedError()
    const aggregated = parts.length === 1 ? aggregatedVersion(exchange.headers.accept) : undefined
    const form = aggregated === undefined ? plainForm(exchange) : { mediaType: JSON_TYPE, format: 'json' as const }
    const document = this.document(snapshot, `${parts.join('/')};${aggregated ?? ''};${form.format}`, form.format, () =>
      this.build(snapshot, parts, aggregated),
    )
    if (document === undefined) return false
    if (aggregated === undefined) {
      await exchange.sendBytes(200, form.mediaType, document.bytes)
      return true
    }
    exchange.setHeader('Vary', 'Accept')
    exchange.setHeader('ETag', document.etag)
    const type = `application/json;g=apidiscovery.k8s.io;v=${aggregated};as=APIGroupDiscoveryList`
    if (exchange.headers['if-none-match']?.split(',').some(tag => tag.trim() === document.etag)) await exchange.sendBytes(304, type, Buffer.alloc(0))
    else await exchange.sendBytes(200, type, document.bytes)
    return true
  }

  /** The paths that there are, as `kubectl get --raw /` prints them. */
  private async serveIndex(exchange: Exchange, snapshot: CatalogSnapshot): Promise<boolean> {
    const groups = [...groupsOf(snapshot)].flatMap(([group, versions]) =>
      group === '' ? versions.map(({ name }) => `/api/${name}`) : [`/apis/${group}`, ...versions.map(({ name }) => `/apis/${group}/${name}`)],
    )
    const paths = [...FIXED_PATHS, ...groups].sort()
    await exchange.sendBytes(200, 'application/json', Buffer.from(`${JSON.stringify({ paths }, null, 2)}\n`))
    return true
  }

  private document(snapshot: CatalogSnapshot, id: string, format: Form['format'], build: () => object | undefined): Document | undefined {
    if (this.generation !== snapshot.generation) {
      this.generation = snapshot.generation
      this.documents.clear()
    }
    const known = this.documents.get(id)
    if (known) return known
    const value = build()
    if (value === undefined) return undefined
    const bytes = written(value as JsonObject, format)
    const document = { bytes, etag: `"${createHash('sha512').update(bytes).digest('hex').toUpperCase()}"` }
    this.documents.set(id, document)
    return document
  }

  private build(snapshot: CatalogSnapshot, parts: readonly string[], aggregated: string | undefined): object | undefined {
    const [root, second, third] = parts
    if (aggregated !== undefined) return groupDiscoveryList(snapshot, root === 'api', aggregated)
    const groups = groupsOf(snapshot)
    if (root === 'api') {
      const versions = (groups.get('') ?? []).map(version => version.name)
      if (second === undefined)
        return { kind: 'APIVersions', versions, serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: this.serverAddress() }] }
      return versions.includes(second) ? { kind: 'APIResourceList', groupVersion: second, resources: apiResources(snapshot, second) } : undefined
    }
    const group = (name: string) => {
      const versions = (groups.get(name) ?? []).map(version => ({ groupVersion: version.groupVersion, version: version.name }))
      return { name, versions, preferredVersion: versions[0] }
    }
    if (second === undefined) return { kind: 'APIGroupList', apiVersion: 'v1', groups: [...groups.keys()].filter(name => name !== '').map(group) }
    if (second === '' || !groups.has(second)) return undefined
    if (third === undefined) return { kind: 'APIGroup', apiVersion: 'v1', ...group(second) }
    const groupVersion = `${second}/${third}`
    if (snapshot.resourcesOf(groupVersion).length === 0) return undefined
    return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources: apiResources(snapshot, groupVersion) }
  }
}

/** The segments of a path that may be one of discovery's. Slashes that repeat are a path of their own, which nobody serves, but at the end of a longer one. */
function partsOf(path: string): readonly string[] | undefined {
  if (path.startsWith('/apis//')) return undefined
  let end = path.length
  while (end > 1 && path.charCodeAt(end - 1) === 47) end--
  const parts = path.slice(1, end).split('/')
  if (parts.includes('')) return undefined
  return (parts[0] === 'api' && parts.length <= 2) || (parts[0] === 'apis' && parts.length <= 3) ? parts : undefined
}

function isServed(snapshot: CatalogSnapshot, [root, second, third]: readonly string[]): boolean {
  if (second === undefined) return true
  if (root === 'api') return snapshot.resourcesOf(second).length > 0
  if (third !== undefined) return snapshot.resourcesOf(`${second}/${third}`).length > 0
  return snapshot.servedGroupVersions().some(groupVersion => groupVersion.startsWith(`${second}/`))
}

interface Form {
  readonly mediaType: string
  readonly format: 'json' | 'pretty' | 'yaml' | 'protobuf'
}

const ROUTE_TYPES = offeredTypes(builtinMediaTypes)

/** The form of a document that is not aggregated: never CBOR, as upstream has it. Throws 406. */
function plainForm({ headers: { accept }, search, query, ctx }: Exchange): Form {
  if (!routeAccepts(accept, [...ROUTE_TYPES, NEUTRAL_PROTOBUF_TYPE])) throw failure(406, 'NotAcceptable', routeNotAcceptableText(ROUTE_TYPES), {})
  const accepted = negotiateOutput(accept, builtinMediaTypes)
  if (!accepted) throw failure(406, 'NotAcceptable', notAcceptableText(builtinMediaTypes))
  const { mediaType } = accepted
  const format = formatOf(mediaType)
  if (format === 'yaml' || format === 'protobuf') return { mediaType, format }
  const pretty = accepted.pretty || prefersPretty(search.includes('pretty') ? query.get('pretty') : undefined, ctx.userAgent)
  return { mediaType, format: pretty ? 'pretty' : 'json' }
}

function written(value: JsonObject, format: Form['format']): Buffer {
  switch (format) {
    case 'json':
      return Buffer.from(`${JSON.stringify(value)}\n`)
    case 'pretty':
      return indentJson(Buffer.from(`${JSON.stringify(value)}\n`))
    case 'yaml':
      return yamlBytes(value)
    case 'protobuf': {
      const { kind, apiVersion = '' } = value as { kind: string; apiVersion?: string }
      const schema = metaType(`meta.${kind}`)
      return encodeProtobuf(schema, { kind, apiVersion }, decode(schema, value))
    }
  }
}

/** Types for which JSON is an answer. */
const PLAIN_TYPES: ReadonlySet<string> = new Set(['application/json', '*/*', 'application/*'])

/** The version of aggregated discovery that the client prefers over the plain document, if any. */
function aggregatedVersion(accept: string | undefined): string | undefined {
  for (const clause of splitAt(accept ?? '', ',')) {
    const semicolon = clause.indexOf(';')
    const type = (semicolon < 0 ? clause : clause.slice(0, semicolon)).trim()
    if (!PLAIN_TYPES.has(type)) continue
    const parameters = semicolon < 0 ? [] : clause.slice(semicolon + 1).split(';')
    const values = new Map(parameters.map(parameter => parameter.trim().split('=', 2) as [string, string]))
    if (values.get('as') === 'APIGroupDiscoveryList' && values.get('g') === 'apidiscovery.k8s.io' && type === 'application/json') {
      const version = values.get('v')
      if (version === 'v2' || version === 'v2beta1') return version
    } else return undefined
  }
  return undefined
}
