import type { RequestInfo } from '../../meta/context.ts'
import { badRequestError } from '../../meta/status.ts'

const VERBS: Readonly<Record<string, string>> = { POST: 'create', GET: 'get', HEAD: 'get', PUT: 'update', PATCH: 'patch', DELETE: 'delete' }
const NO_PARTS: readonly string[] = []

/**
 * Reads a request's path by the API grammar (https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-uris):
 *
 *     /api/VERSION[/watch]/… and /apis/GROUP/VERSION[/watch]/… with RESOURCE[/NAME[/SUBRESOURCE…]] or namespaces/NAMESPACE/RESOURCE[/NAME[/SUBRESOURCE…]]
 *
 * Anything else is not a resource. `path` is percent-decoded; `query` is asked only of a read of a collection.
 */
export function parseRequestInfo(method: string, path: string, query: () => URLSearchParams): RequestInfo {
  const prefix = path.startsWith('/api/') ? 'api' : path.startsWith('/apis/') ? 'apis' : ''
  if (prefix === '') return nonResource(method, path)
  const parts = split(path)
  let next = 1
  if (parts.length < (prefix === 'api' ? 3 : 4)) return nonResource(method, path)
  const group = prefix === 'api' ? '' : (parts[next++] ?? '')
  const version = parts[next++] ?? ''
  let verb = VERBS[method] ?? ''
  if (parts[next] === 'watch' || parts[next] === 'proxy') {
    if (next + 1 >= parts.length) throw badRequestError(`unable to determine kind and namespace from url, ${path}`)
    verb = parts[next++] ?? ''
  }
  let namespace = ''
  if (parts[next] === 'namespaces' && next + 1 < parts.length) {
    namespace = parts[next + 1] ?? ''
    const after = parts[next + 2]
    // `namespaces/x/status` is a subresource of the namespace itself.
    if (after !== undefined && after !== 'status' && after !== 'finalize') next += 2
  }
  const resource = parts[next] ?? ''
  let name = parts[next + 1] ?? ''
  const subresource = verb === 'proxy' ? '' : (parts[next + 2] ?? '')
  if (name === '') {
    if (verb === 'get') {
      const asked = query()
      verb = isTrue(asked.get('watch')) ? 'watch' : 'list'
      name = nameOf(asked.get('fieldSelector'))
    } else if (verb === 'delete') verb = 'deletecollection'
  }
  return { path, isResource: true, verb, apiPrefix: prefix, group, version, namespace, resource, subresource, name, parts: parts.slice(next) }
}

const nonResource = (method: string, path: string): RequestInfo => ({
  path,
  isResource: false,
  verb: method.toLowerCase(),
  apiPrefix: '',
  group: '',
  version: '',
  namespace: '',
  resource: '',
  subresource: '',
  name: '',
  parts: NO_PARTS,
})

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

/** The name that a field selector pins: a list of one object is authorized as that object. */
function nameOf(selector: string | null): string {
  if (selector === null || selector === '') return ''
  for (const term of selector.split(',')) {
    const name = /^metadata\.name==?([^=!\\]+)$/.exec(term)?.[1]
    if (name !== undefined && name !== '.' && name !== '..' && !/[/%]/.test(name)) return name
  }
  return ''
}

/** Long-running requests have no deadline and take no place in flight: watches, and streams to and from containers. */
export function isLongRunning(info: RequestInfo): boolean {
  if (info.verb === 'watch' || info.verb === 'proxy') return true
  if (!info.isResource || info.subresource === '') return false
  return LONG_RUNNING_SUBRESOURCES.has(info.subresource)
}

const LONG_RUNNING_SUBRESOURCES: ReadonlySet<string> = new Set(['attach', 'exec', 'proxy', 'log', 'portforward'])
