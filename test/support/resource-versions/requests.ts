import type { Request } from './cell.ts'

/**
 * The requests of the table: every combination that the concept of resource versions names
 * (https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions), over the history that `history.ts`
 * writes.
 */
export function requests(): Request[] {
  return [...gets(), ...lists(), ...continued(), ...strangeTokens(), ...watches(), ...timedWatches()]
}

/**
 * `ancient` is compacted, and the cache began after it; `kept` is not compacted, and the cache began after it; the
 * cache has what came since `older`.
 */
const VERSIONS = ['', '0', '{ancient}', '{kept}', '{older}', '{current}', '{future}'] as const
const MALFORMED = ['x', '-1', '1.5', '0x10', '01', '18446744073709551615', '18446744073709551616', '5 ']
const ONE = '/api/v1/namespaces/one/configmaps'
const ALL = '/api/v1/configmaps'

type Query = Record<string, string | undefined>

function request(verb: 'GET' | 'WATCH', path: string, query: Query, token?: string): Request {
  const terms = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [`${name}=${value.replaceAll(' ', '%20')}`],
  )
  return { do: `${verb} ${path}${terms.length === 0 ? '' : `?${terms.join('&')}`}`, ...(token !== undefined && { token }) }
}

function gets(): Request[] {
  const found = [...VERSIONS, ...MALFORMED].map(resourceVersion => request('GET', `${ONE}/c`, { resourceVersion }))
  const absent = ['', '0', '{ancient}', '{current}', '{future}'].map(resourceVersion => request('GET', `${ONE}/none`, { resourceVersion }))
  const deleted = ['', '0', '{older}'].map(resourceVersion => request('GET', `${ONE}/a`, { resourceVersion }))
  return [...found, ...absent, ...deleted]
}

const SCOPES: readonly (readonly [path: string, selection: Query])[] = [
  [ALL, {}],
  [ONE, {}],
  [ALL, { labelSelector: 'l=1' }],
  [ONE, { labelSelector: 'l=1' }],
  [ONE, { labelSelector: 'l!=1' }],
  [ONE, { fieldSelector: 'metadata.name=a' }],
  [ONE, { fieldSelector: 'metadata.name=c' }],
  [ONE, { fieldSelector: 'metadata.name!=c' }],
  [ALL, { fieldSelector: 'metadata.name=c' }],
  [ALL, { fieldSelector: 'metadata.namespace=one' }],
  [ALL, { fieldSelector: 'metadata.namespace=one,metadata.name=c' }],
  [ALL, { fieldSelector: 'metadata.namespace=one', labelSelector: 'l=1' }],
]
const LIMITS = ['', '2', '500']

function lists(): Request[] {
  const out: Request[] = []
  for (const [path, selection] of SCOPES)
    for (const limit of LIMITS)
      for (const resourceVersionMatch of ['', 'Exact', 'NotOlderThan'])
        for (const resourceVersion of VERSIONS)
          out.push(request('GET', path, { ...selection, limit, resourceVersion, resourceVersionMatch }))
  for (const limit of ['', '1'])
    for (const resourceVersion of VERSIONS)
      out.push(request('GET', '/api/v1/namespaces', { fieldSelector: 'metadata.name=one', limit, resourceVersion }))
  out.push(request('GET', '/api/v1/namespaces', { fieldSelector: 'metadata.name=one,metadata.namespace=two' }))
  // As many as exist, so that a single object and a list of one are distinguished.
  for (const [path, selection] of SCOPES.filter(([, { fieldSelector }]) => fieldSelector?.includes('metadata.name=')))
    for (const resourceVersion of VERSIONS) out.push(request('GET', path, { ...selection, limit: '1', resourceVersion }))
  for (const resourceVersion of ['', '0', '{current}', 'x'])
    for (const limit of ['', '2']) out.push(request('GET', ONE, { limit, resourceVersion, resourceVersionMatch: 'Other' }))
  for (const resourceVersion of MALFORMED)
    for (const resourceVersionMatch of ['', 'Exact', 'NotOlderThan'])
      for (const limit of ['', '2']) out.push(request('GET', ONE, { limit, resourceVersion, resourceVersionMatch }))
  for (const limit of ['0', '-1', 'x', '1', '3', '4', '5']) out.push(request('GET', ONE, { limit }))
  for (const sendInitialEvents of ['true', 'false']) out.push(request('GET', ONE, { sendInitialEvents }))
  for (const resourceVersion of VERSIONS) out.push(request('GET', '/api/v1/namespaces/none/configmaps', { resourceVersion, limit: '2' }))
  return out
}

/** Returns a token in the form of encodeContinue. */
const tokenAt = (rv: string, start: string): string => `{"v":"meta.k8s.io/v1","rv":${rv},"start":"${start}\\u0000"}`

function continued(): Request[] {
  const out: Request[] = []
  for (const rv of ['{ancient}', '{kept}', '{older}', '{current}', '{future}', '-1'])
    for (const limit of LIMITS) {
      out.push(request('GET', ONE, { limit, continue: '{token}' }, tokenAt(rv, 'b')))
      out.push(request('GET', ALL, { limit, continue: '{token}' }, tokenAt(rv, 'one/b')))
      out.push(request('GET', ALL, { limit, labelSelector: 'l=1', continue: '{token}' }, tokenAt(rv, 'one/b')))
      out.push(request('GET', ONE, { limit, fieldSelector: 'metadata.name=c', continue: '{token}' }, tokenAt(rv, 'b')))
    }
  for (const resourceVersion of ['0', '{older}', '{current}', 'x'])
    for (const resourceVersionMatch of ['', 'Exact', 'NotOlderThan', 'Other'])
      for (const limit of ['', '2'])
        out.push(request('GET', ONE, { limit, resourceVersion, resourceVersionMatch, continue: '{token}' }, tokenAt('{current}', 'b')))
  for (const resourceVersion of ['0', '{current}'])
    out.push(request('GET', ONE, { limit: '2', resourceVersion, continue: '{token}' }, tokenAt('{ancient}', 'b')))
  out.push(request('GET', ONE, { limit: '2', resourceVersionMatch: 'Exact', continue: '{token}' }, tokenAt('{current}', 'b')))
  return out
}

/** Tokens that no server has made. */
const TOKENS = [
  ...['', ' ', 'null', '[]', '""', '1', '{}', 'x', '{', '{"v":"meta.k8s.io/v1"}', '{"v":"meta.k8s.io/v1","rv":{current}}'],
  ...[
    '{"v":"v1","rv":{current},"start":"b"}',
    '{"v":1,"rv":{current},"start":"b"}',
    '{"rv":{current},"start":"b"}',
    '{"v":"","rv":{current},"start":"b"}',
  ],
  ...['"{current}"', '1.5', '1e3', 'null', 'true', '{}', '[]', '0', '-2', '-1', '9223372036854775807', '9223372036854775808', '1e400'].map(
    rv => `{"v":"meta.k8s.io/v1","rv":${rv},"start":"b"}`,
  ),
  ...[
    '1',
    'null',
    'true',
    '{}',
    '[]',
    '""',
    '"/"',
    '"b"',
    '"/b"',
    '"//b"',
    '"b/"',
    '"b/../c"',
    '"../two/a"',
    '"../../secrets/one/a"',
    '"/registry/secrets/one/a"',
  ].map(start => `{"v":"meta.k8s.io/v1","rv":{current},"start":${start}}`),
  ...[
    '"./b"',
    '"b/./c"',
    '"b/.."',
    '".."',
    '"."',
    '"b//c"',
    '"~"',
    '"\\u0000"',
    '"\\uffff"',
    '"zzzz"',
    '"é"',
    '"__proto__"',
    '"b\\u0000\\u0000"',
  ].map(start => `{"v":"meta.k8s.io/v1","rv":{current},"start":${start}}`),
  ...[
    '{"__proto__":{"v":"meta.k8s.io/v1"},"rv":{current},"start":"b"}',
    '{"v":"meta.k8s.io/v1","rv":{current},"start":"b","__proto__":{"start":"c"}}',
  ],
  ...['{"V":"meta.k8s.io/v1","RV":{current},"START":"b"}', '{"v":"meta.k8s.io/v1","rv":{current},"start":"b","more":1}'],
  ...[
    '{"v":"meta.k8s.io/v1","rv":{current},"start":"b","start":"c"}',
    '{"v":"meta.k8s.io/v1","rv":{current},"start":"b"} ',
    '{"v":"meta.k8s.io/v1","rv":{current},"start":"b"}x',
  ],
]
/** Not even base64url without padding. */
const UNDECODABLE = [
  'x',
  'xx',
  '****',
  'eyJ2Ijo=',
  'eyJ2Ijo==',
  'e%2BJ2',
  'a%2Fb',
  'ab%0Acd',
  '%00',
  '%C3%A9',
  'aaaaa',
  'A',
  '-_',
  '.',
  '%7B%7D',
]

function strangeTokens(): Request[] {
  return [
    ...TOKENS.map(token => request('GET', ONE, { limit: '2', continue: '{token}' }, token)),
    ...UNDECODABLE.map(text => request('GET', ONE, { limit: '2', continue: text })),
    request('GET', ALL, { continue: '{token}' }, tokenAt('{current}', '../secrets/a')),
    request('GET', ALL, { continue: '{token}' }, tokenAt('{current}', 'two')),
    request('GET', ONE, { continue: '{token}' }, `{"v":"meta.k8s.io/v1","rv":{current},"start":"${'b'.repeat(5000)}"}`),
  ]
}

const WATCHED: readonly (readonly [path: string, selection: Query])[] = [
  [ALL, {}],
  [ONE, {}],
  [ONE, { labelSelector: 'l=1' }],
  [ONE, { fieldSelector: 'metadata.name=c' }],
  [ALL, { fieldSelector: 'metadata.name=c' }],
  ['/api/v1/watch/namespaces/one/configmaps/c', {}],
]

function watches(): Request[] {
  const out: Request[] = []
  for (const [path, selection] of WATCHED)
    for (const resourceVersion of VERSIONS) {
      for (const allowWatchBookmarks of ['', 'true'])
        out.push(request('WATCH', path, { watch: '1', ...selection, resourceVersion, allowWatchBookmarks }))
      for (const sendInitialEvents of ['true', 'false'])
        for (const allowWatchBookmarks of ['', 'true'])
          out.push(
            request('WATCH', path, {
              watch: '1',
              ...selection,
              resourceVersion,
              resourceVersionMatch: 'NotOlderThan',
              sendInitialEvents,
              allowWatchBookmarks,
            }),
          )
    }
  for (const sendInitialEvents of ['', 'true', 'false'])
    for (const resourceVersionMatch of ['', 'Exact', 'NotOlderThan', 'Other'])
      for (const resourceVersion of ['', '{current}'])
        for (const token of [undefined, tokenAt('{current}', 'b')]) {
          const query = {
            watch: '1',
            sendInitialEvents,
            resourceVersionMatch,
            resourceVersion,
            continue: token && '{token}',
            allowWatchBookmarks: 'true',
          }
          out.push(request('WATCH', ONE, query, token))
        }
  for (const resourceVersion of MALFORMED) {
    out.push(request('WATCH', ONE, { watch: '1', resourceVersion }))
    out.push(
      request('WATCH', ONE, {
        watch: '1',
        resourceVersion,
        resourceVersionMatch: 'NotOlderThan',
        sendInitialEvents: 'true',
        allowWatchBookmarks: 'true',
      }),
    )
  }
  for (const limit of ['1', '2', 'x']) out.push(request('WATCH', ONE, { watch: '1', limit, resourceVersion: '{older}' }))
  for (const path of ['/api/v1/watch/configmaps', '/api/v1/watch/namespaces/one/configmaps', `${ONE}/c`, `${ONE}/none`])
    for (const resourceVersion of ['', '{older}'])
      out.push(request('WATCH', path, { watch: path.startsWith(ONE) ? '1' : '', resourceVersion }))
  const seen = new Set<string>()
  return out.filter(one => {
    const id = `${one.do} ${one.token}`
    if (seen.has(id)) return false
    seen.add(id)
    return true
  })
}

/** Nothing is written before their time is over. */
function timedWatches(): Request[] {
  const out: Request[] = []
  for (const timeoutSeconds of ['1', '4'])
    for (const resourceVersion of ['', '0', '{older}', '{current}'])
      for (const allowWatchBookmarks of ['', 'true'])
        out.push(request('WATCH', ONE, { watch: '1', timeoutSeconds, resourceVersion, allowWatchBookmarks }))
  for (const selection of [{ labelSelector: 'q=z' }, { fieldSelector: 'metadata.name=c' }])
    out.push(
      request('WATCH', ONE, { watch: '1', timeoutSeconds: '4', ...selection, resourceVersion: '{current}', allowWatchBookmarks: 'true' }),
    )
  for (const resourceVersion of ['', '{current}']) {
    const query = { resourceVersion, resourceVersionMatch: 'NotOlderThan', sendInitialEvents: 'true', allowWatchBookmarks: 'true' }
    out.push(request('WATCH', ONE, { watch: '1', timeoutSeconds: '4', ...query }))
  }
  return out
}
