import { isTrueParameter } from '../../meta/boolean-parameter.ts'
import type { NonResourceRequestInfo, RequestInfo, ResourceRequestInfo, Verb } from '../../meta/context.ts'
import { FieldMatcher, type FieldTerm, parseFieldSelector } from '../../meta/field-selector.ts'
import { type LabelRequirement, parseLabelSelector } from '../../meta/label-selector.ts'
import { badRequestLine, PlainTextError } from '../../meta/plain-text-error.ts'
import { nonResourceAttributes } from '../../meta/request-attributes.ts'
import { ifReadable } from '../../meta/selector-error.ts'
import { badRequestError } from '../../meta/status.ts'
import { hasTooManyParameters } from '../http/query.ts'
import { rawPathOf } from '../http/request-target.ts'
import { MAX_PATH_LENGTH, MAX_QUERY_PARAMETERS } from '../limits.ts'
import type { Filter } from './filter.ts'

const BAD_ESCAPE = /%(?![0-9A-Fa-f]{2})/

/**
 * Parses method, path and query into the request's info: the one value that is authorized and served. Throws 400 if the
 * target is invalid or longer than the limits.
 */
export const withRequestInfo: Filter = ({ state: { exchange } }, next) => {
  const { fault } = exchange
  if (fault === 'path too long') throw badRequestError(`the path of a request has ${MAX_PATH_LENGTH} characters at most`)
  if (hasTooManyParameters(exchange.search)) throw badRequestError(`a query has ${MAX_QUERY_PARAMETERS} parameters at most`)
  exchange.info = parseRequestInfo(exchange.method, exchange.path, () => exchange.query, exchange.req.url)
  if (fault === 'invalid escape') throw invalidEscape(rawPathOf(exchange.req.url ?? '/'))
  exchange.longRunning = isLongRunning(exchange.info)
  return next()
}

const invalidEscape = (raw: string): Error =>
  BAD_ESCAPE.test(raw) ? badRequestLine() : badRequestError(`invalid URL escape in ${JSON.stringify(raw)}`)

/** A Map, not an object: over HTTP/2 a method may be any word, such as `constructor`. */
const VERBS: ReadonlyMap<string, Verb> = new Map<string, Verb>([
  ['POST', 'create'],
  ['GET', 'get'],
  ['HEAD', 'get'],
  ['PUT', 'update'],
  ['PATCH', 'patch'],
  ['DELETE', 'delete'],
])
const NOTHING: readonly string[] = []

/** Position of the resource in the segments of a path. */
interface ResourcePosition {
  readonly apiPrefix: 'api' | 'apis'
  readonly group: string
  readonly version: string
  /** Segment before the resource that replaces the method's verb. */
  readonly special: 'watch' | 'proxy' | undefined
  readonly namespace: string
  readonly inNamespace: boolean
  /** Index of the segment that names the resource. */
  readonly at: number
}

/**
 * Parses a request's path by the API grammar
 * (https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-uris):
 *
 *     /api/VERSION[/watch]/… and /apis/GROUP/VERSION[/watch]/… with RESOURCE[/NAME[/SUBRESOURCE…]] or namespaces/NAMESPACE/RESOURCE[/NAME[/SUBRESOURCE…]]
 *
 * Any other path is a non-resource request. `path` is percent-decoded; `query` is only called if a collection is read
 * or deleted. Throws a PlainTextError with the `url` for a watch or proxy path without a resource.
 */
export function parseRequestInfo(method: string, path: string, query: () => URLSearchParams, url = path): RequestInfo {
  const segments = splitPath(path)
  const place = positionOf(segments, url)
  return place === undefined ? nonResource(method, path) : resourceRequest(method, path, segments, place, query)
}

/** Returns undefined if the path is not that of a resource. */
function positionOf(segments: readonly string[], url: string): ResourcePosition | undefined {
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

/**
 * Returns the info of a resource request. The verb depends on the method and, for a collection, on the query: `get`
 * becomes `list` or `watch`, `delete` becomes `deletecollection`.
 */
function resourceRequest(
  method: string,
  path: string,
  segments: readonly string[],
  place: ResourcePosition,
  query: () => URLSearchParams,
): ResourceRequestInfo {
  const { apiPrefix, group, version, special, namespace, inNamespace, at } = place
  let verb: ResourceRequestInfo['verb'] = special ?? VERBS.get(method) ?? ''
  let name = segments[at + 1] ?? ''
  let fieldSelector: readonly FieldTerm[] | undefined
  let labelSelector: readonly LabelRequirement[] | undefined
  const namesObject = name !== ''
  if (!namesObject && verb === 'get') {
    const asked = query()
    verb = isTrueParameter(asked.get('watch')) ? 'watch' : 'list'
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
    // Like kube-apiserver, a proxy path has no subresource.
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

const nonResource = (method: string, path: string): NonResourceRequestInfo => ({
  ...nonResourceAttributes(method.toLowerCase(), path),
  isResource: false,
})

/** Splits a path at slashes, without leading and trailing ones. */
function splitPath(path: string): string[] {
  let end = path.length
  while (end > 1 && path.charCodeAt(end - 1) === 47) end--
  let start = 0
  while (start < end && path.charCodeAt(start) === 47) start++
  return path.slice(start, end).split('/')
}

/**
 * Longer selectors are not parsed before authorization. The request is then authorized for the whole collection, which
 * requires more permissions, not fewer.
 */
const LONG_SELECTOR = 4096

/** Parses a selector. Returns undefined if there is none or it is invalid. */
function termsOf<T>(selector: string | null, parse: (text: string) => readonly T[]): readonly T[] | undefined {
  if (selector === null || selector === '' || selector.length > LONG_SELECTOR) return undefined
  return ifReadable(() => parse(selector))
}

/** Returns the name that a field selector requires: a list of one object is authorized as that object. */
function selectedName(terms: readonly FieldTerm[] | undefined): string {
  if (terms === undefined) return ''
  const name = new FieldMatcher(terms).required('metadata.name') ?? ''
  return name === '.' || name === '..' || /[/%]/.test(name) ? '' : name
}

/**
 * Reports whether a request is long-running: a watch, or a stream to or from a container. Long-running requests have no
 * deadline and no in-flight limit.
 */
export function isLongRunning(info: RequestInfo): boolean {
  if (info.verb === 'watch' || info.verb === 'proxy') return true
  if (!info.isResource) return LONG_RUNNING_PATHS.has(info.path)
  if (info.subresource === '') return false
  return LONG_RUNNING_SUBRESOURCES.has(info.subresource)
}

/** Paths whose response is sent at the client's pace and may be of any size. */
const LONG_RUNNING_PATHS: ReadonlySet<string> = new Set(['/binnacle/v1/snapshot'])
const LONG_RUNNING_SUBRESOURCES: ReadonlySet<string> = new Set(['attach', 'exec', 'proxy', 'log', 'portforward'])
