import type { WireRequest } from './two-wires.ts'

/** A malformed request and the expected response. */
export interface BadRequest {
  readonly name: string
  readonly asked: WireRequest
  readonly status: number
  /** Reason of the Status. Empty if kube-apiserver sets none. */
  readonly reason: string
  readonly message?: RegExp
}

export const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps'
const PODS = '/api/v1/namespaces/default/pods'
const JSON_TYPE = { 'content-type': 'application/json' }
const YAML_TYPE = { 'content-type': 'application/yaml' }
const PROTOBUF_TYPE = { 'content-type': 'application/vnd.kubernetes.protobuf' }

export const configMapText = (members: string, name = 'bad'): string =>
  `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"${name}"}${members === '' ? '' : `,${members}`}}`
const podText = (spec: string): string =>
  `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"p"},"spec":{${spec}"containers":[{"name":"c","image":"i"}]}}`
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)
const token = (text: string): string => Buffer.from(text).toString('base64url')
const magic = (...bytes: number[]): Buffer => Buffer.from([0x6b, 0x38, 0x73, 0, ...bytes])

const post = (body: string | Buffer, headers: Record<string, string> = JSON_TYPE, path = CONFIG_MAPS): WireRequest => ({
  method: 'POST',
  path,
  headers,
  body,
})
const patch = (type: string, body: string): WireRequest => ({
  method: 'PATCH',
  path: `${CONFIG_MAPS}/base`,
  headers: { 'content-type': `application/${type}` },
  body,
})
const get = (path: string, headers: Record<string, string> = {}): WireRequest => ({ path, headers })

type Row = readonly [name: string, asked: WireRequest, status: number, reason: string, message?: RegExp]

/** Nine levels of lists of nine: a billion strings. */
const aliasBomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${[...'bcdefghij'].map((c, i) => `${c}: &${c} [${Array(9).fill(`*${'abcdefghi'[i]}`)}]`).join('\n')}`

const deepData = (levels: number): string => `${'{"data":'.repeat(levels)}1${'}'.repeat(levels)}`

const rows: readonly Row[] = [
  ['an empty body', post(''), 400, 'BadRequest', /unexpected end of JSON input/],
  ['no JSON', post('hello'), 400, 'BadRequest', /invalid character 'h'/],
  ['a truncated object', post(configMapText('"data":{"a":"b"}').slice(0, -3)), 400, 'BadRequest', /unexpected end of JSON input/],
  ['something behind the object', post(`${configMapText('')}{}`), 400, 'BadRequest', /after top-level value/],
  ['a list', post('[]'), 400, 'BadRequest', /cannot unmarshal array/],
  ['a null', post('null'), 422, 'Invalid', /metadata.name: Required value/],
  ['a value of a wrong type', post(configMapText('"data":{"a":1}')), 400, 'BadRequest', /ConfigMap\.data of type string/],
  ['a map of a wrong type', post(configMapText('"data":[]')), 400, 'BadRequest', /ConfigMap\.data of type map/],
  [
    'metadata of a wrong type',
    post('{"kind":"ConfigMap","apiVersion":"v1","metadata":"x"}'),
    400,
    'BadRequest',
    /ConfigMap\.metadata of type/,
  ],
  [
    'another kind',
    post('{"kind":"Secret","apiVersion":"v1","metadata":{"name":"x"}}'),
    400,
    'BadRequest',
    /cannot be handled as a ConfigMap/,
  ],
  [
    'repeated members, strictly',
    post(configMapText('"data":{"a":"b","a":"c"}'), JSON_TYPE, `${CONFIG_MAPS}?fieldValidation=Strict`),
    400,
    'BadRequest',
    /data\.a/,
  ],
  ['a byte more than 3 MiB', post(Buffer.alloc(3 * 1024 * 1024 + 1, 'x')), 413, 'RequestEntityTooLarge', /limit is 3145728/],
  ['more than etcd would take', post(configMapText(`"binaryData":{"a":"${'A'.repeat(2_000_000)}"}`)), 422, 'Invalid', /Too long/],
  ['lists in lists', post(nested(60_000)), 400, 'BadRequest', /exceeded max depth/],
  ['100,000 lists in lists', post(nested(100_000)), 413, 'RequestEntityTooLarge', /limit is 65536 values/],
  ['objects in objects, not ended', post('{"a":'.repeat(60_000)), 400, 'BadRequest', /exceeded max depth/],
  ['500,000 objects in objects, not ended', post('{"a":'.repeat(500_000)), 413, 'RequestEntityTooLarge', /limit is 65536 values/],
  ['a raw NUL', post(configMapText('"data":{"a":"\0"}')), 400, 'BadRequest', /in string literal/],
  ['a NUL in a name', post(configMapText('', 'n\\u0000')), 422, 'Invalid', /metadata\.name/],
  [
    'labels named as the prototype',
    post('{"metadata":{"name":"l","labels":{"__proto__":"a"}}}'),
    422,
    'Invalid',
    /metadata\.labels: Invalid value: "__proto__"/,
  ],
  [
    '150,000 bad labels',
    post(`{"metadata":{"name":"l","labels":{${Array.from({ length: 150_000 }, (_, i) => `"/${i}":"-"`)}}}}`),
    413,
    'RequestEntityTooLarge',
    /limit is 32768 members of an object/,
  ],
  [
    '32,000 bad labels',
    post(`{"metadata":{"name":"l","labels":{${Array.from({ length: 32_000 }, (_, i) => `"/${i}":"-"`)}}}}`),
    422,
    'Invalid',
    /metadata\.labels/,
  ],
  [
    'an integer beyond 64 bits',
    post(podText('"activeDeadlineSeconds":99999999999999999999,'), JSON_TYPE, PODS),
    400,
    'BadRequest',
    /of type int64/,
  ],
  ['an integer beyond 32 bits', post(podText('"priority":3000000000,'), JSON_TYPE, PODS), 400, 'BadRequest', /of type int32/],
  ['an infinite number', post(podText('"activeDeadlineSeconds":1e999,'), JSON_TYPE, PODS), 400, 'BadRequest', /1e999/],
  ['a fraction', post(podText('"priority":1.5,'), JSON_TYPE, PODS), 400, 'BadRequest', /1\.5/],
  ['a million digits', post(podText(`"priority":${'9'.repeat(1_000_000)},`), JSON_TYPE, PODS), 400, 'BadRequest'],
  [
    'a quantity of a million digits',
    post(podText(`"overhead":{"cpu":"${'9'.repeat(1_000_000)}"},`), JSON_TYPE, PODS),
    400,
    'BadRequest',
    /unable to parse numeric part of quantity/,
  ],
  ['a gzipped body', post(Buffer.from('1f8b0800000000000003', 'hex'), { ...JSON_TYPE, 'content-encoding': 'gzip' }), 400, 'BadRequest'],

  ['an alias bomb', post(aliasBomb, YAML_TYPE), 400, 'BadRequest', /excessive aliasing/],
  [
    'a million aliases',
    post(`a: &a {b: c}\nx: [${'*a,'.repeat(900_000)}]`, YAML_TYPE),
    413,
    'RequestEntityTooLarge',
    /limit is 32768 values/,
  ],
  ['an alias within its anchor', post('metadata: &a {name: x, x: *a}', YAML_TYPE), 400, 'BadRequest', /contains itself/],
  ['an open list in YAML', post('a: [', YAML_TYPE), 400, 'BadRequest', /yaml: /],
  ['a tab in YAML', post('a:\n\t- b', YAML_TYPE), 400, 'BadRequest', /cannot start any token/],
  ['deep YAML', post(nested(50_000), YAML_TYPE), 400, 'BadRequest', /yaml: /],

  ['no protobuf', post('garbage', PROTOBUF_TYPE), 400, 'BadRequest', /does not appear to be a protobuf message/],
  ['the magic and nothing', post(magic(), PROTOBUF_TYPE), 400, 'BadRequest', /empty body/],
  ['a length beyond the end', post(magic(0x0a, 0xff, 0xff, 0xff, 0x0f), PROTOBUF_TYPE), 400, 'BadRequest', /unexpected EOF/],
  ['a varint without an end', post(magic(...Array<number>(100).fill(0xff)), PROTOBUF_TYPE), 400, 'BadRequest'],
  ['groups without an end', post(magic(...Array<number>(100_000).fill(0x0b)), PROTOBUF_TYPE), 400, 'BadRequest'],

  ['a plain text', post(configMapText(''), { 'content-type': 'text/plain' }), 415, 'UnsupportedMediaType', /accepted media types include/],
  ['a type that is none', post(configMapText(''), { 'content-type': ';;;===' }), 415, 'UnsupportedMediaType'],
  ['a patch without its type', { method: 'PATCH', path: `${CONFIG_MAPS}/base`, body: '{}' }, 415, 'UnsupportedMediaType'],
  ['a patch of type JSON', patch('json', '{}'), 415, 'UnsupportedMediaType'],
  ['a wish for HTML', get(CONFIG_MAPS, { accept: 'text/html' }), 406, 'NotAcceptable', /application\/json/],
  [
    'a wish for an image of what is created',
    post(configMapText('', 'unseen'), { ...JSON_TYPE, accept: 'image/png', 'content-length': String(configMapText('', 'unseen').length) }),
    406,
    'NotAcceptable',
  ],
  ['a wish for nothing readable', get(CONFIG_MAPS, { accept: ';;;,,,===' }), 406, 'NotAcceptable'],

  ['POST to an object', { ...post('{}'), path: `${CONFIG_MAPS}/base` }, 405, 'MethodNotAllowed'],
  ['PUT to a collection', { ...post('{}'), method: 'PUT' }, 405, 'MethodNotAllowed'],
  ['OPTIONS', { method: 'OPTIONS', path: CONFIG_MAPS }, 405, 'MethodNotAllowed'],
  ['TRACE', { method: 'TRACE', path: CONFIG_MAPS }, 405, 'MethodNotAllowed'],
  ['PROPFIND', { method: 'PROPFIND', path: CONFIG_MAPS }, 405, 'MethodNotAllowed'],
  ['an unknown resource', get('/api/v1/nopes'), 404, 'NotFound'],
  ['an unknown subresource', get(`${CONFIG_MAPS}/base/nope`), 404, 'NotFound'],
  ['a resource named as the prototype', get('/api/v1/__proto__'), 404, 'NotFound'],
  ['an object named as the prototype', get(`${CONFIG_MAPS}/__proto__`), 404, 'NotFound'],
  ['a way up', get(`${CONFIG_MAPS}/%2e%2e%2fsecrets`), 404, 'NotFound'],
  ['a slash in a name', get(`${CONFIG_MAPS}/a%2Fb`), 404, 'NotFound'],
  ['a NUL in a path', get(`${CONFIG_MAPS}/%00`), 404, 'NotFound'],
  [
    'a namespace that leads up',
    post(configMapText(''), JSON_TYPE, '/api/v1/namespaces/%2e%2e/configmaps'),
    500,
    'InternalError',
    /invalid resource name "\.\.": \[may not be '\.\.'\]/,
  ],
  ['an escape that is no UTF-8', get(`${CONFIG_MAPS}/%ff`), 400, 'BadRequest', /invalid URL escape/],

  ['half a selector', get(`${CONFIG_MAPS}?labelSelector=a+in+(`), 400, 'BadRequest', /unable to parse requirement/],
  ['no selector', get(`${CONFIG_MAPS}?labelSelector=!!,=,(((`), 400, 'BadRequest', /unable to parse requirement/],
  ['an unknown field', get(`${CONFIG_MAPS}?fieldSelector=__proto__=1`), 400, 'BadRequest', /not a known field selector/],
  ['an open escape', get(`${CONFIG_MAPS}?fieldSelector=metadata.name=%5C`), 400, 'BadRequest', /invalid escape sequence/],
  ['a limit that is no number', get(`${CONFIG_MAPS}?limit=x`), 400, 'BadRequest'],
  ['a limit beyond 64 bits', get(`${CONFIG_MAPS}?limit=99999999999999999999`), 400, 'BadRequest', /value out of range/],
  ['a continue token that is none', get(`${CONFIG_MAPS}?limit=1&continue=@@@@`), 400, 'BadRequest', /illegal base64/],
  [
    'a continue token that leads elsewhere',
    get(`${CONFIG_MAPS}?limit=1&continue=${token('{"v":"meta.k8s.io/v1","rv":5,"start":"../../secrets/default/x"}')}`),
    400,
    'BadRequest',
    /continue key is not valid/,
  ],
  [
    'a continue token of no revision',
    get(`${CONFIG_MAPS}?limit=1&continue=${token('{"v":"meta.k8s.io/v1","rv":1e30,"start":"a"}')}`),
    400,
    'BadRequest',
  ],
  ['a revision that is none', get(`${CONFIG_MAPS}?resourceVersion=x`), 400, 'BadRequest', /invalid resource version/],
  ['a watch from no revision', get(`${CONFIG_MAPS}?watch=1&resourceVersion=x`), 500, '', /strconv\.ParseUint/],
  ['a timeout that is none', get(`${CONFIG_MAPS}?timeout=x`), 400, 'BadRequest', /invalid duration/],
  ['a dry run of something', { ...post(configMapText('')), path: `${CONFIG_MAPS}?dryRun=x` }, 422, 'Invalid', /dryRun/],
  [
    'options of a wrong type',
    { method: 'DELETE', path: `${CONFIG_MAPS}/base`, headers: JSON_TYPE, body: '{"gracePeriodSeconds":"x"}' },
    500,
    '',
    /cannot unmarshal string/,
  ],

  ['a JSON patch that is no list', patch('json-patch+json', '{}'), 400, 'BadRequest'],
  ['a JSON patch without operations', patch('json-patch+json', '[{"path":"/a"}]'), 422, 'Invalid'],
  [
    'a JSON patch of too many',
    patch('json-patch+json', `[${Array(10_001).fill('{"op":"test","path":"/kind","value":"ConfigMap"}')}]`),
    413,
    'RequestEntityTooLarge',
  ],
  [
    'a JSON patch that grows',
    patch(
      'json-patch+json',
      `[{"op":"add","path":"/x","value":["${'x'.repeat(1000)}"]}${',{"op":"copy","from":"/x","path":"/x/-"}'.repeat(40)}]`,
    ),
    422,
    'Invalid',
  ],
  ['a JSON patch of the prototype', patch('json-patch+json', '[{"op":"add","path":"/__proto__/polluted","value":"1"}]'), 422, 'Invalid'],
  [
    'a JSON patch of the constructor',
    patch('json-patch+json', '[{"op":"add","path":"/constructor/prototype/polluted","value":"1"}]'),
    422,
    'Invalid',
  ],
  ['a merge patch that is null', patch('merge-patch+json', 'null'), 400, 'BadRequest'],
  [
    'a merge patch that is deep',
    patch('merge-patch+json', deepData(9000)),
    422,
    'Invalid',
    /cannot unmarshal object into Go struct field ConfigMap\.data of type string/,
  ],
  ['a strategic patch that is deep', patch('strategic-merge-patch+json', deepData(9000)), 422, 'Invalid'],
  ['a merge patch that is too deep', patch('merge-patch+json', deepData(10_001)), 400, 'BadRequest', /exceeded max depth/],
  ['a strategic patch that is too deep', patch('strategic-merge-patch+json', deepData(10_001)), 400, 'BadRequest', /exceeded max depth/],
  ['a strategic patch that is a list', patch('strategic-merge-patch+json', '[1]'), 400, 'BadRequest'],
]

export const badRequests: readonly BadRequest[] = rows.map(([name, asked, status, reason, message]) => ({
  name,
  asked,
  status,
  reason,
  ...(message && { message }),
}))

/** Paths that are not served. Their 404 is plain text, not a Status. */
export const unservedPaths = ['/nope', '/apis/nope/v1/x', '/apis/constructor/v1/toString'] as const
