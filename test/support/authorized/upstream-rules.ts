import type { RequestAttributes } from '../../../src/meta/context.ts'

type Question = Omit<RequestAttributes, 'path'>

const METHOD_VERBS: Readonly<Record<string, string>> = {
  POST: 'create',
  GET: 'get',
  HEAD: 'get',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
}

/**
 * Returns the attributes that kube-apiserver passes to its authorizer for a request, by the documented rules of its
 * RequestInfo and independently of this server's parser. Undefined if kube-apiserver responds without authorization.
 * Field selectors of the enumeration are `metadata.name=NAME` or none.
 */
export function upstreamQuestion(method: string, url: string): Question | undefined {
  const [path = '', search = ''] = url.split('?')
  // Go's net/url leaves out pairs with a semicolon, or with an escape that is none.
  const query = new URLSearchParams(
    search
      .split('&')
      .filter(pair => !/;|%(?![0-9a-f]{2})/i.test(pair))
      .join('&'),
  )
  const segments = decodeURIComponent(path)
    .replace(/^\/+|\/+$/g, '')
    .split('/')
  const nothing = {
    isResource: false,
    verb: method.toLowerCase(),
    group: '',
    version: '',
    namespace: '',
    resource: '',
    subresource: '',
    name: '',
  }
  const prefix = segments.shift()
  if ((prefix !== 'api' || segments.length < 2) && (prefix !== 'apis' || segments.length < 3)) return nothing
  const group = prefix === 'apis' ? (segments.shift() ?? '') : ''
  const version = segments.shift() ?? ''
  let verb = METHOD_VERBS[method] ?? ''
  const special = segments[0] === 'watch' || segments[0] === 'proxy'
  if (special) {
    verb = segments.shift() ?? ''
    if (segments.length === 0) return undefined
  }
  let namespace = ''
  if (segments[0] === 'namespaces' && segments[1] !== undefined) {
    namespace = segments[1]
    if (segments[2] !== undefined && segments[2] !== 'status' && segments[2] !== 'finalize') segments.splice(0, 2)
  }
  const [resource = '', inPath = '', third = ''] = segments
  let name = inPath
  if (inPath === '' && verb === 'get') {
    const watch = query.get('watch')?.toLowerCase()
    verb = watch !== undefined && watch !== '0' && watch !== 'false' ? 'watch' : 'list'
    name = query.get('fieldSelector')?.replace('metadata.name=', '') ?? ''
  } else if (inPath === '' && verb === 'delete') verb = 'deletecollection'
  return { isResource: true, verb, group, version, namespace, resource, subresource: verb === 'proxy' ? '' : third, name }
}
