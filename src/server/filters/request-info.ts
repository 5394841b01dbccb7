import type { NonResourceRequestInfo, RequestInfo, ResourceRequestInfo, Verb } from '../../meta/context.ts'
import { FieldMatcher, type FieldTerm, parseFieldSelector } from '../../meta/field-selector.ts'
import { type LabelRequirement, parseLabelSelector } from '../../meta/label-selector.ts'
import { badRequestLine, PlainTextError } from '../../meta/plain-text-error.ts'
import { nonResourceAttributes } from '../../meta/request-attributes.ts'
import { ifReadable } from '../../meta/selector-error.ts'
import { badRequestError } from '../../meta/status.ts'
import { MAX_PATH_LENGTH, MAX_QUERY_PARAMETERS } from '../limits.ts'
import { hasTooManyParameters } from '../query.ts'
import { rawPathOf } from '../request-target.ts'
import type { Filter } from './filter.ts'

const BAD_ESCAPE = /%(?![0-9A-Fa-f]{2})/

/** Reads from method, path and query what the request will do: the one value that is authorized and done. Throws 400 where they can't be read, or are longer than is read. */
export const withRequestInfo: Filter = ({ state: { exchange } }, next) => {
  const { fault } = exchange
  if (fault === 'path too long') throw badRequestError(`the path of a request has ${MAX_PATH_LENGTH} characters at most`)
  if (hasTooManyParameters(exchange.search)) throw badRequestError(`a query has ${MAX_QUERY_PARAMETERS} parameters at most`)
  exchange.info = parseRequestInfo(exchange.method, exchange.path, () => exchange.query, exchange.req.url)
  if (fault === 'invalid escape') throw invalidEscape(rawPathOf(exchange.req.url ?? '/'))
  exchange.longRunning = isLongRunning(exchange.info)
  return next()
}

const invalidEscape = (raw: string): Error => (BAD_ESCAPE.test(raw) ? badRequestLine() : badRequestError(`invalid URL escape in ${JSON.stringify(raw)}`))

/** A map: over HTTP/2 a method may be any word, `constructor` too. */
const VERBS: ReadonlyMap<string, Verb> = new Map<string, Verb>([
  ['POST', 'create'],
  ['GET', 'get'],
  ['HEAD', 'get'],
  ['PUT', 'update'],
  ['PATCH', 'patch'],
  ['DELETE', 'delete'],
])
const NOTHING: readonly string[] = []

/** Where the resource begins in the segments of a path. */
interface Place {
  readonly apiPrefix: 'api' | 'apis'
  readonly group: string
  readonly version: string
  /** What stands before the resource in place of the method's verb. */
  readonly special: 'watch' | 'proxy' | undefined
  readonly namespace: string
  readonly inNamespace: boolean
  /** Index of the segment that names the resource. */
  readonly at: number
}

/**
 * Reads a request's path by the API grammar (https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-uris):
 *
 *     /api/VERSION[/watch]/… and /apis/GROUP/VERSION[/watch]/… with RESOURCE[/NAME[/SUBRESOURCE…]] or namespaces/NAMESPACE/RESOURCE[/NAME[/SUBRESOURCE…]]
 *
 * Anything else is not a resource. `path` is percent-decoded; `query` is asked only where a collection is read or deleted. Throws a
 * PlainTextError for a watch or proxy of nothing, which names the `url`.
 */
export function parseRequestInfo(method: string, path: string, query: () => URLSearchParams, url = path): RequestInfo {
  const segments = split(path)
  const place = placeOf(segments, url)
  return place === undefined ? nonResource(method, path) : resourceRequest(method, path, segments, place, query)
}

/** Undefined where the path is not that of a resource. */
function placeOf(segments: readonly string[], url: string): Place | undefined {
  const apiPrefix = segments[0]
  if (apiPrefix !== 'api' && apiPrefix !== 'apis') return undefined
  if (segments.length < (apiPrefix === 'api' ? 3 : 4)) return undefined
  let at = 1
  const group = apiPrefix === 'api' ? '' : (segments[at++] ?? '')
  const version = segments[at++] ?? ''
  const word = segments[at]
  const special = word === 'watch' || word === 'proxy' ? word : undefined
  if (special !== undefined && ++at >= segments.length)
    throw new PlainTextError(500, `failed to create RequestInfo: unable to determine kind and namespace from url, ${url}`)
  const named = segments[at] === 'namespaces' && at + 1 < segments.length
  const namespace = named ? (segments[at + 1] ?? '') : ''
  const after = named ? segments[at + 2] : undefined
  // `namespaces/x/status` is a subresource of the namespace itself.
  const inNamespace = after !== undefined && after !== 'status' && after !== 'finalize'
  return { apiPrefix, group, version, special, namespace, inNamespace, at: inNamespace ? at + 2 : at }
}

function resourceRequest(method: string, path: string, segments: readonly string[], place: Place, query: () => URLSearchParams): ResourceRequestInfo {
  const { apiPrefix, group, version, special, namespace, inNamespace, at } = place
  let verb: ResourceRequestInfo['verb'] = special ?? VERBS.get(method) ?? ''
  let name = segments[at + 1] ?? ''
  let fieldSelector: readonly FieldTerm[] | undefined
  let labelSelector: readonly LabelRequirement[] | undefined
  const namesObject = name !== ''
  if (!namesObject && verb === 'get') {
    const asked = query()
    verb = isTrue(asked.get('watch')) ? 'watch' : 'list'
    fieldSelector = termsOf(asked.get('fieldSelector'), parseFieldSelector)
    labelSelector = termsOf(asked.get('labelSelector'), parseLabelSelector)
    name = selectedName(fieldSelector)
  } else if (!namesObject && verb === 'delete') {
    verb = 'deletecollection'
    const asked = query()
    fieldSelector = termsOf(asked.get('fieldSelector'), parseFieldSelector)
    labelSelector = termsOf(asked.get('labelSelector'), parseLabelSelector)
  }
  return {
    path,
    isResource: true,
    verb,
    group,
    version,
    namespace,
    resource: segments[at] ?? '',
    // As kube-apiserver reads it, a proxy path has no subresource.
    subresource: special === 'proxy' ? '' : (segments[at + 2] ?? ''),
    name,
    ...(fieldSelector && { fieldSelector }),
    ...(labelSelector && { labelSelector }),
    method,
    apiPrefix,
    watchPath: special === 'watch',
    inNamespace,
    namesObject,
    rest: segments.length > at + 3 ? segments.slice(at + 3) : NOTHING,
  }
}

const nonResource = (method: string, path: string): NonResourceRequestInfo => ({ ...nonResourceAttributes(method.toLowerCase(), path), isResource: false })

/** Segments between slashes, those around the whole path not counted. */
function split(path: string): string[] {
  let end = path.length
  while (end > 1 && path.charCodeAt(end - 1) === 47) end--
  let start = 0
  while (start < end && path.charCodeAt(start) === 47) start++
  return path.slice(start, end).split('/')
}

/** How the API reads a boolean of a query: whatever is there and is not `false` or `0`. */
const isTrue = (value: string | null): boolean => value !== null && !/^(?:false|0)$/i.test(value)

/** Of a selector that is longer than this, nothing is read before somebody is asked: it is authorized as one of the whole collection, which takes more rights and not fewer. */
const LONG_SELECTOR = 4096

/** Undefined where there is none, and of a selector that cannot be read. */
function termsOf<T>(selector: string | null, parse: (text: string) => readonly T[]): readonly T[] | undefined {
  if (selector === null || selector === '' || selector.length > LONG_SELECTOR) return undefined
  return ifReadable(() => parse(selector))
}

/** The name that a field selector requires: a list of one object is authorized as that object. */
function selectedName(terms: readonly FieldTerm[] | undefined): string {
  if (terms === undefined) return ''
  const name = new FieldMatcher(terms).required('metadata.name') ?? ''
  return name === '.' || name === '..' || /[/%]/.test(name) ? '' : name
}

/** Long-running requests have no deadline and take no place in flight: watches, and streams to and from containers. */
export function isLongRunning(info: RequestInfo): boolean {
  if (info.verb === 'watch' || info.verb === 'proxy') return true
  if (!info.isResource) return LONG_RUNNING_PATHS.has(info.path)
  if (info.subresource === '') return false
  return LONG_RUNNING_SUBRESOURCES.has(info.subresource)
}

/** What is sent at the client's pace, however much it is. */
const LONG_RUNNING_PATHS: ReadonlySet<string> = new Set(['/binnacle/v1/snapshot'])
const LONG_RUNNING_SUBRESOURCES: ReadonlySet<string> = new Set(['attach', 'exec', 'proxy', 'log', 'portforward'])
