import type { WebhookServer } from '../../support/webhooks/webhook-server.ts'

export interface WideRequest {
  readonly method: string
  readonly path: string
  readonly body?: string
  readonly type?: string
  readonly accept?: string
}
type InRound = (round: number) => WideRequest

/**
 * Requests of one shape of body, in order. They are sent in several rounds, which must leave nothing behind that the
 * next one trips over.
 */
export interface WideCase {
  readonly name: string
  readonly before?: readonly InRound[]
  readonly requests: Readonly<Record<string, InRound>>
  readonly after?: readonly InRound[]
  readonly rounds?: number
}

type Body = Record<string, unknown>

/** Elements of a body, of which a few are left for the rest of it. */
const MOST = 65_000
/** Members of one object. */
const MOST_NAMES = 32_000
/** Members of one object in a response of a webhook. */
const MOST_OF_WEBHOOK = 16_000

const DIGITS = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'
/** Three characters, which differ for each number. */
const key = (i: number): string => `${DIGITS[Math.floor(i / 3844) % 62]}${DIGITS[Math.floor(i / 62) % 62]}${DIGITS[i % 62]}`
const members = (count: number, value: (i: number) => unknown): Body =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [key(i), value(i)]))
const items = <T>(count: number, item: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => item(i))

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json'
const PROTOBUF = 'application/vnd.kubernetes.protobuf'
const METADATA = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io'

const PATCHES = { merge: 'merge-patch+json', strategic: 'strategic-merge-patch+json', json: 'json-patch+json', apply: 'apply-patch+yaml' }

interface Shape {
  readonly name: string
  /** Path of the collection. */
  readonly path: string
  readonly apiVersion: string
  readonly kind: string
  /** The object but for its metadata, with values that differ by the variant. */
  readonly content: (variant: number) => Body
  /** The member that a JSON patch replaces. */
  readonly pointer?: string
  readonly metadata?: (variant: number) => Body
  readonly isCustom?: boolean
}

/** Every verb on an object of a shape. */
function verbs({ name, path, apiVersion, kind, content, metadata, pointer, isCustom = false }: Shape): WideCase {
  const object = (variant: number, more: Body = {}): string =>
    JSON.stringify({ apiVersion, kind, metadata: { name: 'wide', ...metadata?.(variant), ...more }, ...content(variant) })
  const one = `${path}/wide`
  const patch = (type: keyof typeof PATCHES, body: string, query: string): WideRequest => ({
    method: 'PATCH',
    path: `${one}?${query}`,
    type: `application/${PATCHES[type]}`,
    body,
  })
  const replaced = (variant: number): string => {
    const whole = { metadata: metadata?.(variant), ...content(variant) } as Body
    const [first = '', ...rest] = (pointer ?? `/${Object.keys(content(0))[0]}`).slice(1).split('/')
    const value = rest.reduce((at, step) => (at as Body)[step], whole[first])
    return JSON.stringify([{ op: 'add', path: pointer ?? `/${first}`, value }])
  }
  return {
    name,
    requests: {
      create: () => ({ method: 'POST', path: `${path}?fieldManager=a`, body: object(1) }),
      update: () => ({ method: 'PUT', path: `${one}?fieldManager=b`, body: object(2) }),
      'update of nothing': () => ({ method: 'PUT', path: `${one}?fieldManager=b`, body: object(2) }),
      'merge patch': () => patch('merge', object(3), 'fieldManager=c'),
      ...(!isCustom && { 'strategic patch': () => patch('strategic', object(4), 'fieldManager=d') }),
      'JSON patch': () => patch('json', replaced(5), 'fieldManager=e'),
      'apply with conflicts': () => patch('apply', object(6), 'fieldManager=f'),
      'apply with force': () => patch('apply', object(6), 'fieldManager=f&force=true'),
      'apply again': () => patch('apply', object(7), 'fieldManager=f'),
      'apply of nothing': () => patch('apply', object(7), 'fieldManager=f'),
      'apply by another': () => patch('apply', object(7), 'fieldManager=g'),
      'update of what is applied': () => ({ method: 'PUT', path: `${one}?fieldManager=h`, body: object(8) }),
      'patch of one member': () => patch('merge', '{"metadata":{"labels":{"one":"more"}}}', 'fieldManager=i'),
      'apply of one member': () =>
        patch('apply', JSON.stringify({ apiVersion, kind, metadata: { labels: { two: 'more' } } }), 'fieldManager=f&force=true'),
      get: () => ({ method: 'GET', path: one }),
      'get as YAML': () => ({ method: 'GET', path: one, accept: 'application/yaml' }),
      ...(!isCustom && { 'get as protobuf': () => ({ method: 'GET', path: one, accept: PROTOBUF }) }),
      'get as Table': () => ({ method: 'GET', path: one, accept: TABLE }),
      'get as metadata': () => ({ method: 'GET', path: one, accept: METADATA }),
      'list as Table': () => ({ method: 'GET', path: `${path}?includeObject=Object`, accept: TABLE }),
      'list by label': () => ({ method: 'GET', path: `${path}?labelSelector=one%3Dmore` }),
      remove: () => ({ method: 'DELETE', path: one }),
    },
    after: [
      () => ({ method: 'PATCH', path: one, type: 'application/merge-patch+json', body: '{"metadata":{"finalizers":null}}' }),
      () => ({ method: 'DELETE', path: `${one}?gracePeriodSeconds=0` }),
    ],
  }
}

const CORE = '/api/v1/namespaces/default'
const configMap = { path: `${CORE}/configmaps`, apiVersion: 'v1', kind: 'ConfigMap' }
const pod = { path: `${CORE}/pods`, apiVersion: 'v1', kind: 'Pod' }
const custom = { path: '/apis/wide.example.io/v1/namespaces/default/wides', apiVersion: 'wide.example.io/v1', kind: 'Wide', isCustom: true }

const containers = (more: Body): Body => ({ spec: { containers: [{ name: 'c', image: 'i', ...more }] } })
const fields = (count: number): Body => ({ 'f:data': { '.': {}, ...Object.fromEntries(items(count, i => [`f:${key(i)}`, {}])) } })
const TIME = '2026-01-02T03:04:05Z'
const manager = (name: string, fieldsV1: Body): Body => ({
  manager: name,
  operation: 'Update',
  apiVersion: 'v1',
  time: TIME,
  fieldsType: 'FieldsV1',
  fieldsV1,
})

function nested(depth: number, width: number): unknown {
  return depth === 0 ? 1 : items(width, () => nested(depth - 1, width))
}

const builtInShapes: readonly Shape[] = [
  { ...configMap, name: 'data', content: variant => ({ data: members(MOST_NAMES, i => `${variant}${i % 7}`) }) },
  {
    ...configMap,
    name: 'half of data changes',
    content: variant => ({ data: members(MOST_NAMES, i => (i % 2 === 0 ? `${variant}` : 'v')) }),
  },
  {
    ...configMap,
    name: 'data of new names',
    content: variant => ({ data: Object.fromEntries(items(MOST_NAMES / 2, i => [`${key(i)}${variant}`, 'v'])) }),
  },
  { ...configMap, name: 'binary data', content: variant => ({ binaryData: members(MOST_NAMES, () => (variant % 2 ? 'YQ==' : 'Yg==')) }) },
  {
    ...configMap,
    name: 'labels',
    content: () => ({ data: {} }),
    metadata: variant => ({ labels: members(MOST_NAMES, () => `v${variant}`) }),
    pointer: '/metadata/labels',
  },
  {
    ...configMap,
    name: 'annotations',
    content: () => ({ data: {} }),
    metadata: variant => ({ annotations: members(MOST_NAMES, () => `${variant}`) }),
    pointer: '/metadata/annotations',
  },
  {
    ...configMap,
    name: 'finalizers',
    content: () => ({ data: {} }),
    metadata: variant => ({ finalizers: items(MOST_NAMES, i => `e.io/${key(i)}${i < 100 ? variant : ''}`) }),
    pointer: '/metadata/finalizers',
  },
  {
    ...configMap,
    name: 'owner references',
    content: () => ({ data: {} }),
    metadata: variant => ({
      ownerReferences: items(13_000, i => ({ apiVersion: 'v1', kind: 'Pod', name: `p${i}`, uid: `u${i}${variant}` })),
    }),
    pointer: '/metadata/ownerReferences',
  },
  {
    ...configMap,
    name: 'managed fields',
    content: variant => ({ data: { a: `${variant}` } }),
    metadata: variant => ({ managedFields: variant < 3 ? [manager('wide', fields(MOST_NAMES))] : undefined }),
    pointer: '/data',
  },
  {
    ...configMap,
    name: 'managers',
    content: variant => ({ data: { a: `${variant}` } }),
    metadata: variant => ({ managedFields: variant < 3 ? items(6_500, i => manager(`m${i}`, { 'f:data': { 'f:a': {} } })) : undefined }),
    pointer: '/data',
  },
  { ...pod, name: 'args', content: variant => containers({ args: items(MOST, i => `${variant}${i}`) }), pointer: '/spec' },
  {
    ...pod,
    name: 'env',
    content: variant => containers({ env: items(21_000, i => ({ name: key(i), value: `${variant}` })) }),
    pointer: '/spec',
  },
  {
    ...pod,
    name: 'env of few values',
    content: variant => containers({ env: items(32_000, i => ({ name: i === 0 ? `n${variant}` : `e${key(i)}` })) }),
    pointer: '/spec',
  },
  {
    ...pod,
    name: 'containers',
    content: variant => ({ spec: { containers: items(13_000, i => ({ name: `c${i}`, image: `i${variant}`, tty: true })) } }),
    pointer: '/spec',
  },
  {
    ...pod,
    name: 'volumes',
    content: variant => ({
      spec: { volumes: items(16_000, i => ({ name: `c${i}`, emptyDir: {} })), containers: [{ name: 'c', image: `i${variant}` }] },
    }),
    pointer: '/spec',
  },
  {
    ...pod,
    name: 'tolerations',
    content: () => ({
      spec: { tolerations: items(16_000, i => ({ key: `k${i}`, operator: 'Exists' })), containers: [{ name: 'c', image: 'i' }] },
    }),
    pointer: '/spec',
  },
  {
    ...pod,
    name: 'limits',
    content: variant => containers({ resources: { limits: members(30_000, i => `${variant}${i}`) } }),
    pointer: '/spec',
  },
  {
    ...pod,
    name: 'node selector',
    content: variant => ({ spec: { nodeSelector: members(MOST_NAMES, () => `${variant}`), containers: [{ name: 'c', image: 'i' }] } }),
    pointer: '/spec',
  },
  {
    path: `${CORE}/services`,
    apiVersion: 'v1',
    kind: 'Service',
    name: 'selector',
    content: variant => ({ spec: { ports: [{ port: 1 }], selector: members(MOST_NAMES, () => `${variant}`) } }),
  },
  {
    path: `${CORE}/endpoints`,
    apiVersion: 'v1',
    kind: 'Endpoints',
    name: 'addresses',
    content: variant => ({
      subsets: [
        { ports: [{ port: variant + 1 }], addresses: items(32_000, i => ({ ip: `10.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}` })) },
      ],
    }),
  },
  {
    path: `${CORE}/secrets`,
    apiVersion: 'v1',
    kind: 'Secret',
    name: 'string data',
    content: variant => ({ stringData: members(MOST_NAMES, () => `${variant}`) }),
  },
  {
    path: `${CORE}/resourcequotas`,
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    name: 'hard',
    content: variant => ({ spec: { hard: Object.fromEntries(items(MOST_NAMES, i => [`count/w${i}.x`, `${variant}`])) } }),
  },
  {
    path: '/apis/rbac.authorization.k8s.io/v1/clusterroles',
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    name: 'rules',
    content: variant => ({ rules: items(9_000, i => ({ apiGroups: [''], resources: [`r${i}`], verbs: [`v${variant}`] })) }),
  },
  {
    path: '/apis/rbac.authorization.k8s.io/v1/clusterroles',
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    name: 'resource names',
    content: variant => ({
      rules: [{ apiGroups: [''], resources: ['pods'], resourceNames: items(60_000, i => `r${i}`), verbs: [`v${variant}`] }],
    }),
  },
  {
    path: '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    name: 'subjects',
    content: variant => ({
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
      subjects: items(16_000, i => ({ kind: 'User', name: `u${variant}${i}`, apiGroup: 'rbac.authorization.k8s.io' })),
    }),
  },
  {
    path: '/apis/networking.k8s.io/v1/namespaces/default/networkpolicies',
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    name: 'peers',
    content: variant => ({
      spec: {
        podSelector: {},
        ingress: [{ from: items(21_000, i => ({ ipBlock: { cidr: `10.${variant}.${(i >> 8) & 255}.${i & 255}/32` } })) }],
      },
    }),
  },
  {
    path: '/apis/networking.k8s.io/v1/namespaces/default/networkpolicies',
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    name: 'rules',
    content: variant => ({ spec: { podSelector: { matchLabels: { a: `${variant}` } }, ingress: items(60_000, () => ({})) } }),
  },
  {
    path: '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices',
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    name: 'addresses',
    content: variant => ({
      addressType: 'IPv4',
      endpoints: items(600, i => ({ addresses: items(100, n => `10.${variant}.${i % 256}.${n}`) })),
    }),
  },
  {
    path: '/apis/storage.k8s.io/v1/storageclasses',
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    name: 'topologies',
    content: () => ({
      provisioner: 'e.io/p',
      allowedTopologies: items(16_000, i => ({ matchLabelExpressions: [{ key: 'zone', values: [`z${i}`] }] })),
    }),
    metadata: variant => ({ labels: { a: `${variant}` } }),
  },
  {
    path: '/apis/networking.k8s.io/v1/namespaces/default/networkpolicies',
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    name: 'expressions',
    content: variant => ({
      spec: { podSelector: { matchExpressions: items(12_000, i => ({ key: `k${i}`, operator: 'In', values: [`v${variant}`] })) } },
    }),
  },
  {
    path: '/apis/networking.k8s.io/v1/namespaces/default/ingresses',
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    name: 'rules',
    content: variant => ({
      spec: { defaultBackend: { service: { name: `s${variant}`, port: { number: 1 } } }, rules: items(30_000, i => ({ host: `h${i}.x` })) },
    }),
  },
  {
    path: '/apis/apps/v1/namespaces/default/deployments',
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    name: 'env',
    content: variant => ({
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, ...containers({ env: items(21_000, i => ({ name: key(i), value: `${variant}` })) }) },
      },
    }),
  },
  {
    path: '/apis/apps/v1/namespaces/default/controllerrevisions',
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    name: 'data',
    content: () => ({ revision: 1, data: members(MOST_NAMES, i => i) }),
  },
  {
    path: '/api/v1/nodes',
    apiVersion: 'v1',
    kind: 'Node',
    name: 'labels of a node',
    content: () => ({ spec: {} }),
    metadata: variant => ({ labels: members(MOST_NAMES, () => `v${variant}`) }),
    pointer: '/metadata/labels',
  },
  {
    path: '/api/v1/namespaces',
    apiVersion: 'v1',
    kind: 'Namespace',
    name: 'labels of a namespace',
    content: () => ({ spec: {} }),
    metadata: variant => ({ labels: members(MOST_NAMES, () => `v${variant}`) }),
    pointer: '/metadata/labels',
  },
  {
    path: '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas',
    apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
    kind: 'FlowSchema',
    name: 'flow schema',
    content: variant => ({
      spec: {
        matchingPrecedence: 9000 + variant,
        priorityLevelConfiguration: { name: 'catch-all' },
        rules: [
          {
            subjects: items(20_000, i => ({ kind: 'User', user: { name: `u${i}` } })),
            nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['/x'] }],
          },
        ],
      },
    }),
  },
  {
    path: '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies',
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    name: 'validations',
    content: variant => ({
      spec: {
        matchConstraints: { resourceRules: [{ apiGroups: ['x'], apiVersions: ['v1'], operations: ['*'], resources: ['y'] }] },
        validations: items(20_000, i => ({ expression: `${i} > ${variant}` })),
      },
    }),
  },
  {
    path: '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    name: 'webhooks',
    content: variant => ({
      webhooks: items(6_000, i => ({
        name: `a${i}.b.c`,
        clientConfig: { url: `https://x.y/${variant}` },
        rules: [],
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
      })),
    }),
  },
]

const customShapes: readonly Shape[] = [
  {
    ...custom,
    name: 'untyped members',
    content: variant => ({ spec: { free: members(MOST_NAMES, i => (i % 3 === 0 ? `${variant}` : i)) } }),
    pointer: '/spec',
  },
  {
    ...custom,
    name: 'untyped objects',
    content: variant => ({ spec: { free: members(32_000, () => ({ a: variant })) } }),
    pointer: '/spec',
  },
  {
    ...custom,
    name: 'values of a map',
    content: variant => ({ spec: { map: members(MOST_NAMES, () => `${variant}`) } }),
    pointer: '/spec',
  },
  {
    ...custom,
    name: 'a set',
    content: variant => ({ spec: { set: items(MOST, i => `s${i}${i < 100 ? `-${variant}` : ''}`) } }),
    pointer: '/spec',
  },
  { ...custom, name: 'a new set', content: variant => ({ spec: { set: items(MOST, i => `s${i}${variant}`) } }), pointer: '/spec' },
  {
    ...custom,
    name: 'a list of maps',
    content: variant => ({ spec: { parts: items(21_000, i => ({ name: `n${i}`, size: variant })) } }),
    pointer: '/spec',
  },
  {
    ...custom,
    name: 'a list of maps with defaults',
    content: variant => ({ spec: { parts: items(32_000, i => ({ name: `n${i}${i < 100 ? variant : ''}` })) } }),
    pointer: '/spec',
  },
  { ...custom, name: 'numbers', content: variant => ({ spec: { numbers: items(MOST, i => i + variant) } }), pointer: '/spec' },
  { ...custom, name: 'nested lists', content: () => ({ spec: { free: nested(9, 3) } }), pointer: '/spec' },
  {
    ...custom,
    name: 'deep lists',
    content: variant => ({ spec: { free: items(60, () => JSON.parse(`${'['.repeat(1000)}${variant}${']'.repeat(1000)}`)) } }),
    pointer: '/spec',
  },
  {
    ...custom,
    name: 'objects with rules',
    content: variant => ({ spec: { objects: members(16_000, () => ({ a: variant, b: 'b', c: true })) } }),
    pointer: '/spec',
  },
  {
    ...custom,
    name: 'embedded objects',
    content: variant => ({
      spec: { embedded: { apiVersion: 'v1', kind: 'X', metadata: { name: 'a', labels: members(MOST_NAMES, () => `${variant}`) } } },
    }),
    pointer: '/spec',
  },
]

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
type SchemaBody = Body
const versionOf = (schema: SchemaBody, more: Body = {}): Body => ({
  name: 'v1',
  served: true,
  storage: true,
  schema: { openAPIV3Schema: schema },
  ...more,
})

function definition(name: string, schema: SchemaBody, more: Body = {}, spec: Body = {}): Body {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${name}s.wide.example.io` },
    spec: {
      group: 'wide.example.io',
      names: {
        plural: `${name}s`,
        singular: name,
        kind: name[0]?.toUpperCase() + name.slice(1),
        listKind: `${name[0]?.toUpperCase()}${name.slice(1)}List`,
      },
      scope: 'Namespaced',
      versions: [versionOf(schema, more)],
      ...spec,
    },
  }
}

const object = (properties: Body, more: Body = {}): SchemaBody => ({ type: 'object', ...more, properties })
const TEXT = { type: 'string' }

const WIDE = definition(
  'wide',
  object({
    spec: object({
      free: { 'x-kubernetes-preserve-unknown-fields': true },
      map: { type: 'object', additionalProperties: TEXT },
      set: { type: 'array', 'x-kubernetes-list-type': 'set', items: TEXT },
      parts: {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['name'],
        items: object({ name: TEXT, size: { type: 'integer', default: 1 } }, { required: ['name'] }),
      },
      numbers: { type: 'array', items: { type: 'integer' } },
      objects: {
        type: 'object',
        additionalProperties: object({ a: { type: 'integer' }, b: TEXT, c: { type: 'boolean' } }, { required: ['a'] }),
      },
      embedded: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
    }),
  }),
  {
    additionalPrinterColumns: [
      { name: 'A', type: 'string', jsonPath: '.spec.map.aaa' },
      { name: 'B', type: 'string', jsonPath: '.spec.parts[*].name' },
    ],
  },
)

interface WideDefinition {
  readonly name: string
  readonly body: Body
  /** Custom objects of it. */
  readonly object?: (variant: number) => Body
}

const definitions: readonly WideDefinition[] = [
  {
    name: 'properties',
    body: definition('prop', object({ spec: object(members(31_000, () => TEXT)) })),
    object: variant => ({ spec: members(31_000, () => `${variant}`) }),
  },
  {
    name: 'properties with defaults',
    body: definition(
      'dflt',
      object({
        spec: object(
          members(20_000, () => ({ type: 'string', default: 'd' })),
          { default: {} },
        ),
      }),
    ),
    object: () => ({}),
  },
  {
    name: 'a default of many members',
    body: definition(
      'deep',
      object({ spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, default: members(MOST_NAMES, i => i) } }),
    ),
    object: () => ({}),
  },
  {
    name: 'enum',
    body: definition('enum', object({ spec: object({ a: { type: 'string', enum: items(64_000, i => `e${i}`) } }) })),
    object: () => ({ spec: { a: 'e63999' } }),
  },
  {
    name: 'enum refused',
    body: definition('enun', object({ spec: object({ a: { type: 'string', enum: items(64_000, i => `e${i}`) } }) })),
    object: () => ({ spec: { a: 'x' } }),
  },
  {
    name: 'required',
    body: definition(
      'reqd',
      object({ spec: object({}, { required: items(64_000, i => `e${i}`), 'x-kubernetes-preserve-unknown-fields': true }) }),
    ),
    object: () => ({ spec: members(MOST_NAMES, i => i) }),
  },
  {
    name: 'columns',
    body: definition('cols', object({ spec: object({ a: TEXT }) }), {
      additionalPrinterColumns: items(16_000, i => ({ name: `c${i}`, type: 'string', jsonPath: `.spec.a${i}` })),
    }),
    object: () => ({ spec: { a: 'a' } }),
  },
  {
    name: 'schemas in allOf',
    body: definition('allo', object({ spec: object({ a: { type: 'string', allOf: items(30_000, i => ({ maxLength: i + 1 })) } }) })),
    object: () => ({ spec: { a: 'a' } }),
  },
  {
    name: 'schemas in anyOf',
    body: definition('anyo', object({ spec: object({ a: { type: 'string', anyOf: items(30_000, i => ({ minLength: i + 2 })) } }) })),
    object: () => ({ spec: { a: 'a' } }),
  },
  {
    name: 'rules',
    body: definition(
      'rule',
      object({ spec: object({ a: { type: 'string', 'x-kubernetes-validations': items(20_000, i => ({ rule: `self != '${i}'` })) } }) }),
    ),
    object: () => ({ spec: { a: 'a' } }),
  },
  {
    name: 'nested properties',
    body: definition('nest', object({ spec: object(members(9_000, () => object({ a: TEXT }))) })),
    object: variant => ({ spec: members(9_000, () => ({ a: `${variant}` })) }),
  },
  {
    name: 'formats',
    body: definition(
      'frmt',
      object({ spec: object(members(20_000, i => ({ type: 'string', format: ['date', 'uuid', 'x', 'byte'][i % 4] }))) }),
    ),
    object: () => ({ spec: {} }),
  },
  {
    name: 'descriptions',
    body: definition('desc', object({ spec: object(members(20_000, i => ({ type: 'string', description: `what ${i} is` }))) })),
    object: () => ({ spec: {} }),
  },
  {
    name: 'versions',
    body: {
      ...definition('vers', object({})),
      spec: {
        ...(definition('vers', object({})).spec as Body),
        versions: items(5_000, i => ({
          name: `v${i + 1}`,
          served: true,
          storage: i === 0,
          schema: { openAPIV3Schema: { type: 'object' } },
        })),
      },
    },
  },
  {
    name: 'short names',
    body: definition('shrt', object({}), {}, { names: { plural: 'shrts', kind: 'Shrt', shortNames: items(60_000, i => `s${i}`) } }),
  },
  {
    name: 'categories',
    body: definition('ctgr', object({}), {}, { names: { plural: 'ctgrs', kind: 'Ctgr', categories: items(60_000, i => `s${i}`) } }),
  },
  {
    name: 'deep schema',
    body: definition('dpsc', JSON.parse(`${'{"type":"object","properties":{"a":'.repeat(300)}{"type":"string"}${'}}'.repeat(300)}`)),
  },
]

function definitionCase({ name, body, object: content }: WideDefinition): WideCase {
  const { metadata, spec } = body as { metadata: { name: string }; spec: { names: { kind: string; plural: string }; group: string } }
  const path = `/apis/${spec.group}/v1/namespaces/default/${spec.names.plural}`
  const text = (variant: number): string =>
    JSON.stringify({ apiVersion: `${spec.group}/v1`, kind: spec.names.kind, metadata: { name: 'wide' }, ...content?.(variant) })
  const patch = (type: keyof typeof PATCHES, sent: string, manager: string): WideRequest => ({
    method: 'PATCH',
    path: `${path}/wide?fieldManager=${manager}`,
    type: `application/${PATCHES[type]}`,
    body: sent,
  })
  return {
    name: `definition: ${name}`,
    rounds: 2,
    requests: {
      create: () => ({ method: 'POST', path: DEFINITIONS, body: JSON.stringify(body) }),
      get: () => ({ method: 'GET', path: `${DEFINITIONS}/${metadata.name}` }),
      patch: round => ({
        method: 'PATCH',
        path: `${DEFINITIONS}/${metadata.name}`,
        type: 'application/merge-patch+json',
        body: `{"metadata":{"labels":{"a":"${round}"}}}`,
      }),
      'apply by another': () => ({
        method: 'PATCH',
        path: `${DEFINITIONS}/${metadata.name}?fieldManager=z`,
        type: 'application/apply-patch+yaml',
        body: JSON.stringify(body),
      }),
      discovery: () => ({ method: 'GET', path: `/apis/${spec.group}/v1` }),
      'aggregated discovery': () => ({
        method: 'GET',
        path: '/apis',
        accept: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
      }),
      'OpenAPI v3': () => ({ method: 'GET', path: `/openapi/v3/apis/${spec.group}/v1` }),
      'OpenAPI v3 as protobuf': () => ({
        method: 'GET',
        path: `/openapi/v3/apis/${spec.group}/v1`,
        accept: 'application/com.github.proto-openapi.spec.v3@v1.0+protobuf',
      }),
      'OpenAPI v2': () => ({ method: 'GET', path: '/openapi/v2' }),
      'OpenAPI v2 as protobuf': () => ({
        method: 'GET',
        path: '/openapi/v2',
        accept: 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf',
      }),
      ...(content && {
        'create an object': () => ({ method: 'POST', path: `${path}?fieldManager=a`, body: text(1) }),
        'update it': () => ({ method: 'PUT', path: `${path}/wide?fieldManager=b`, body: text(2) }),
        'apply it with conflicts': () => patch('apply', text(3), 'c'),
        'apply it': () => patch('apply', text(3), 'c&force=true'),
        'merge patch': () => patch('merge', text(4), 'd'),
        'get it': () => ({ method: 'GET', path: `${path}/wide` }),
        'get it as Table': () => ({ method: 'GET', path: `${path}/wide`, accept: TABLE }),
        'list it as Table': () => ({ method: 'GET', path, accept: TABLE }),
        'remove it': () => ({ method: 'DELETE', path: `${path}/wide` }),
      }),
      remove: () => ({ method: 'DELETE', path: `${DEFINITIONS}/${metadata.name}` }),
    },
  }
}

/** Bodies of what is not stored. */
const virtual: WideCase = {
  name: 'virtual',
  requests: {
    'SubjectAccessReview, groups': () => ({
      method: 'POST',
      path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
      body: JSON.stringify({
        spec: { user: 'u', groups: items(MOST, i => `g${i}`), resourceAttributes: { verb: 'get', resource: 'pods' } },
      }),
    }),
    'SubjectAccessReview, extra': () => ({
      method: 'POST',
      path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
      body: JSON.stringify({
        spec: { user: 'u', extra: members(30_000, () => ['v']), resourceAttributes: { verb: 'get', resource: 'pods' } },
      }),
    }),
    'SubjectAccessReview, requirements': () => ({
      method: 'POST',
      path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
      body: JSON.stringify({
        spec: {
          user: 'u',
          resourceAttributes: {
            verb: 'list',
            resource: 'pods',
            labelSelector: { requirements: items(16_000, i => ({ key: `k${i}`, operator: 'In', values: ['v'] })) },
          },
        },
      }),
    }),
    'TokenReview, audiences': () => ({
      method: 'POST',
      path: '/apis/authentication.k8s.io/v1/tokenreviews',
      body: JSON.stringify({ spec: { token: 't', audiences: items(MOST, i => `a${i}`) } }),
    }),
    'TokenRequest, audiences': () => ({
      method: 'POST',
      path: `${CORE}/serviceaccounts/default/token`,
      body: JSON.stringify({ spec: { audiences: items(MOST, i => `a${i}`) } }),
    }),
    DeleteOptions: () => ({
      method: 'DELETE',
      path: `${CORE}/configmaps/none`,
      body: JSON.stringify({ dryRun: items(MOST, () => 'All') }),
    }),
    'JSON patch of many operations': () => ({
      method: 'PATCH',
      path: `${CORE}/configmaps/kube-root-ca.crt`,
      type: 'application/json-patch+json',
      body: JSON.stringify(items(9_999, i => ({ op: 'add', path: `/data/${key(i)}`, value: 'v' }))),
    }),
    'Event, annotations': () => ({
      method: 'POST',
      path: `${CORE}/events`,
      body: JSON.stringify({
        metadata: { generateName: 'e', annotations: members(MOST_NAMES, () => 'v') },
        involvedObject: { namespace: 'default' },
      }),
    }),
    Binding: () => ({
      method: 'POST',
      path: `${CORE}/bindings`,
      body: JSON.stringify({ metadata: { name: 'none', annotations: members(MOST_NAMES, () => 'v') }, target: { name: 'n' } }),
    }),
    List: () => ({
      method: 'POST',
      path: `${CORE}/configmaps`,
      body: JSON.stringify({ kind: 'List', apiVersion: 'v1', items: items(MOST, i => i) }),
    }),
    'unknown members': () => ({
      method: 'POST',
      path: `${CORE}/configmaps?fieldValidation=Warn`,
      body: JSON.stringify({ metadata: { generateName: 'u' }, ...members(MOST_NAMES, i => i) }),
    }),
    'unknown members, strictly': () => ({
      method: 'POST',
      path: `${CORE}/configmaps?fieldValidation=Strict`,
      body: JSON.stringify({ metadata: { generateName: 'u' }, ...members(MOST_NAMES, i => i) }),
    }),
    'unknown members of a CR': () => ({
      method: 'POST',
      path: `${custom.path}?fieldValidation=Strict`,
      body: JSON.stringify({
        apiVersion: custom.apiVersion,
        kind: custom.kind,
        metadata: { generateName: 'u' },
        spec: members(MOST_NAMES, i => i),
      }),
    }),
    YAML: () => ({
      method: 'POST',
      path: `${CORE}/configmaps`,
      type: 'application/yaml',
      body: `apiVersion: v1\nkind: ConfigMap\nmetadata: {generateName: y}\ndata:\n${items(32_000, i => `  ${key(i)}: "v"`).join('\n')}\n`,
    }),
  },
}

function hooked(hook: WebhookServer): WideCase[] {
  const config = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations'
  const answers: Record<string, unknown[]> = {
    'one value': [{ op: 'add', path: '/data', value: members(MOST_OF_WEBHOOK, () => 'v') }],
    'many operations': [
      { op: 'add', path: '/data', value: {} },
      ...items(9_990, i => ({ op: 'add', path: `/data/${key(i)}`, value: 'v' })),
    ],
    labels: [{ op: 'add', path: '/metadata/labels', value: members(MOST_OF_WEBHOOK, () => 'v') }],
  }
  return Object.entries(answers).map(([name, operations], n) => {
    const patch = Buffer.from(JSON.stringify(operations)).toString('base64')
    hook.acts.set(`/wide${n}`, review => {
      const { apiVersion, request } = review as { apiVersion: string; request: { uid: string } }
      return { apiVersion, kind: 'AdmissionReview', response: { uid: request.uid, allowed: true, patchType: 'JSONPatch', patch } }
    })
    return {
      name: `webhook: ${name}`,
      before: [
        () => ({
          method: 'POST',
          path: config,
          body: JSON.stringify({
            metadata: { name: 'wide' },
            webhooks: [
              {
                name: 'h.example.com',
                clientConfig: hook.clientConfig(`/wide${n}`),
                rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
                sideEffects: 'None',
                admissionReviewVersions: ['v1'],
              },
            ],
          }),
        }),
        () => ({ method: 'GET', path: '/readyz' }),
      ],
      requests: {
        small: () => ({ method: 'POST', path: `${CORE}/configmaps`, body: JSON.stringify({ metadata: { name: 'hooked' } }) }),
        wide: () => ({
          method: 'POST',
          path: `${CORE}/configmaps`,
          body: JSON.stringify({ metadata: { name: 'hooked2' }, data: members(MOST_NAMES, () => 'w') }),
        }),
      },
      after: [
        () => ({ method: 'DELETE', path: `${config}/wide` }),
        () => ({ method: 'DELETE', path: `${CORE}/configmaps/hooked` }),
        () => ({ method: 'DELETE', path: `${CORE}/configmaps/hooked2` }),
      ],
    }
  })
}

export const wideCases = (hook: WebhookServer): readonly WideCase[] => [
  ...builtInShapes.map(shape => verbs({ ...shape, name: `${shape.kind}: ${shape.name}` })),
  {
    name: 'definition of the custom kind',
    rounds: 1,
    requests: { create: () => ({ method: 'POST', path: DEFINITIONS, body: JSON.stringify(WIDE) }) },
  },
  ...customShapes.map(shape => verbs({ ...shape, name: `custom: ${shape.name}` })),
  ...definitions.map(definitionCase),
  virtual,
  ...hooked(hook),
]
