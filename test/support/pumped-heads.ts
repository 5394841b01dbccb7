import { type PumpedText, pumped } from './pumped-texts.ts'

/** A request with a text in one part of its head. */
export interface HeadRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** A part of a head that a client can make long. */
export interface HeadPlace {
  readonly name: string
  readonly request: (text: string) => HeadRequest
}

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps'
const POD = '/api/v1/namespaces/default/pods/p'
const OBJECT = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'pumped' } })
const JSON_TYPE = { 'content-type': 'application/json' }

/** Parameters by the request that reads them. */
const PARAMETERS: readonly (readonly [method: string, path: string, names: string])[] = [
  [
    'GET',
    CONFIG_MAPS,
    'labelSelector fieldSelector limit continue resourceVersion resourceVersionMatch timeout pretty allowWatchBookmarks sendInitialEvents includeObject',
  ],
  ['GET', `${CONFIG_MAPS}?watch=0`, 'timeoutSeconds'],
  ['GET', `${CONFIG_MAPS}/a`, 'resourceVersion timeout'],
  ['POST', CONFIG_MAPS, 'dryRun fieldManager fieldValidation pretty timeout'],
  ['PUT', `${CONFIG_MAPS}/a`, 'dryRun fieldManager fieldValidation'],
  [
    'DELETE',
    `${CONFIG_MAPS}/a`,
    'dryRun gracePeriodSeconds propagationPolicy orphanDependents ignoreStoreReadErrorWithClusterBreakingPotential',
  ],
  ['DELETE', `${CONFIG_MAPS}?dryRun=All`, 'labelSelector fieldSelector'],
  [
    'GET',
    `${POD}/log`,
    'container sinceTime sinceSeconds tailLines limitBytes follow previous timestamps stream insecureSkipTLSVerifyBackend',
  ],
  ['POST', `${POD}/exec`, 'command container stdin stdout tty'],
  ['POST', `${POD}/attach`, 'container stderr'],
  ['POST', `${POD}/portforward`, 'ports'],
  ['GET', '/api/v1/namespaces/default/services/s/proxy', 'path'],
  ['GET', '/healthz', 'exclude verbose'],
  ['GET', '/openapi/v3/api/v1', 'hash'],
  ['GET', '/openapi/v2', 'timeout'],
  ['GET', '/metrics', 'timeout'],
]

const GET_HEADERS =
  'accept accept-encoding accept-language user-agent traceparent tracestate baggage range if-match if-none-match if-modified-since if-unmodified-since cookie origin referer authorization impersonate-user impersonate-group impersonate-uid impersonate-extra-scopes x-remote-user x-remote-group x-remote-extra-a x-remote-uid x-forwarded-for x-forwarded-host x-forwarded-proto x-real-ip forwarded audit-id via dnt te access-control-request-headers access-control-request-method sec-websocket-protocol sec-websocket-key sec-fetch-site cache-control x-http-method-override date'
/** Values that are read further behind these beginnings. */
const HEADER_BEGINNINGS: readonly (readonly [name: string, beginning: string])[] = [
  ['accept', 'application/json;'],
  ['accept', 'application/json;as=Table;v=v1;g='],
  ['accept', '*/*;q=0.'],
  ['accept-encoding', 'gzip;q='],
  ['authorization', 'Bearer '],
  ['authorization', 'Basic '],
  ['authorization', 'Bearer eyJhbGciOiJSUzI1NiJ9.'],
  ['authorization', 'Bearer eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJodHRwczovL2t1YmVybmV0ZXMuZGVmYXVsdC5zdmMuY2x1c3Rlci5sb2NhbCJ9.'],
  ['impersonate-user', 'system:serviceaccount:'],
  ['impersonate-user', 'system:serviceaccount:default:'],
  ['traceparent', '00-'],
  ['range', 'bytes=0-'],
  ['if-none-match', 'W/"'],
  ['origin', 'http://'],
  ['sec-websocket-protocol', 'base64url.bearer.authorization.k8s.io.'],
  ['x-forwarded-for', '10.0.0.1, '],
]
const POST_HEADERS: readonly (readonly [name: string, beginning: string])[] = [
  ['content-type', ''],
  ['content-type', 'application/json;'],
  ['content-type', 'application/json; charset='],
  ['content-type', 'application/json; a="'],
  ['content-type', 'application/vnd.kubernetes.protobuf;'],
  ['content-encoding', ''],
  ['content-language', ''],
  ['accept', 'application/yaml;'],
  ['warning', '299 - "'],
]

/** A text as it may stand in a query: the pieces that may stand there as they are, and escapes of everything else. */
const inQuery = (text: string): string =>
  text.toWellFormed().replace(/[^\w.\-~%:/?@!$'()*,;=[\]{}|^`<>"\\]/gu, char => encodeURIComponent(char))
/** A text as a header may hold it: without line ends and other control characters. */
const inHeader = (text: string): string =>
  Buffer.from(text)
    .toString('latin1')
    .replace(/[^\t\x20-\x7e\x80-\xff]/g, ' ')
    .trim()
const withParameter = (path: string, parameter: string): string => `${path}${path.includes('?') ? '&' : '?'}${parameter}`

/** A continue token around a start key, as the server makes it. */
const tokenOf = (start: string): string => Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: 1, start })).toString('base64url')

const query = (method: string, path: string, parameter: string, value: (text: string) => string = inQuery): HeadPlace => ({
  name: `${method} ${withParameter(path, parameter)}=`,
  request: text => ({
    method,
    path: withParameter(path, `${parameter}=${value(text)}`),
    headers: JSON_TYPE,
    ...(method === 'GET' || method === 'DELETE' ? {} : { body: OBJECT }),
  }),
})
const header = (method: string, path: string, name: string, beginning = ''): HeadPlace => ({
  name: `${method} ${name}: ${beginning}`,
  request: text => ({
    method,
    path,
    headers: { ...JSON_TYPE, [name]: inHeader(beginning + text) },
    ...(method === 'GET' ? {} : { body: OBJECT }),
  }),
})
const path = (name: string, make: (text: string) => string): HeadPlace => ({
  name,
  request: text => ({ method: 'GET', path: make(inPath(text)), headers: {} }),
})
/** Longer paths are refused before they are looked at. */
const MOST_OF_A_PATH = 60_000
const inPath = (text: string): string => inQuery(text).replaceAll('?', '%3F').slice(0, MOST_OF_A_PATH)

/** Every parameter of a query and every header that something of the server reads, and the path. */
export const HEAD_PLACES: readonly HeadPlace[] = [
  ...PARAMETERS.flatMap(([method, at, names]) => names.split(' ').map(name => query(method, at, name))),
  query('GET', CONFIG_MAPS, 'continue', tokenOf),
  query('GET', CONFIG_MAPS, 'labelSelector', text => encodeURIComponent(`a in (${text.toWellFormed()}`)),
  query('GET', CONFIG_MAPS, 'fieldSelector', text => encodeURIComponent(`metadata.name=${text.toWellFormed()}`)),
  query('GET', CONFIG_MAPS, 'timeout', text => encodeURIComponent(`1h${text.toWellFormed()}`)),
  {
    name: 'many parameters',
    request: text => ({
      method: 'GET',
      path: `${CONFIG_MAPS}?${'a=b&'.repeat(text.length / 40)}${inQuery(text).slice(0, 100)}`,
      headers: {},
    }),
  },
  { name: 'a name of a parameter', request: text => ({ method: 'GET', path: `${CONFIG_MAPS}?${inQuery(text)}=1`, headers: {} }) },
  path('a path', text => `/${text}`),
  path('a group', text => `/apis/${text}/v1/things`),
  path('a namespace', text => `/api/v1/namespaces/${text}/pods`),
  path('a name', text => `${CONFIG_MAPS}/${text}`),
  path('a path of a proxy', text => `/api/v1/namespaces/default/services/s/proxy/${text}`),
  path('a port of a proxy', text => `/api/v1/namespaces/default/services/https:s:${text}/proxy/`),
  path('a check of health', text => `/readyz/${text}`),
  ...GET_HEADERS.split(' ').map(name => header('GET', `${CONFIG_MAPS}/a`, name)),
  ...HEADER_BEGINNINGS.map(([name, beginning]) => header('GET', `${CONFIG_MAPS}/a`, name, beginning)),
  ...POST_HEADERS.map(([name, beginning]) => header('POST', `${CONFIG_MAPS}?dryRun=All`, name, beginning)),
]

/** Lengths up to what a head may have. */
export const HEAD_LENGTHS = [62, 252, 4000, 62_000, 900_000]

export const headRequest = (place: HeadPlace, text: PumpedText, length: number): HeadRequest => place.request(pumped(text, length))
