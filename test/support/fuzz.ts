import type { WireRequest } from './two-wires.ts'

type Random = () => number

const VALUES = [
  'null',
  'true',
  '0',
  '-1',
  '1e308',
  '99999999999999999999',
  '""',
  '"x"',
  '"\\u0000"',
  '"__proto__"',
  '[]',
  '[[]]',
  '{}',
  '{"__proto__":{}}',
  '"\\ud800"',
]
const KEYS = [
  'kind',
  'apiVersion',
  'metadata',
  'name',
  'namespace',
  'labels',
  'annotations',
  'finalizers',
  'ownerReferences',
  'managedFields',
  'data',
  'spec',
  'containers',
]
const MORE_KEYS = [
  'ports',
  'selector',
  'status',
  '__proto__',
  'constructor',
  'toString',
  '',
  'a.b',
  '$patch',
  '$setElementOrder/data',
  'creationTimestamp',
  'resourceVersion',
]
const PATHS = [
  '/api/v1/namespaces/default/configmaps',
  '/api/v1/namespaces/default/configmaps/base',
  '/api/v1/namespaces/default/pods',
  '/api/v1/namespaces/default/services',
  '/api/v1/namespaces/default/secrets',
  '/api/v1/namespaces',
  '/api/v1/nodes/n/status',
  '/apis/apps/v1/namespaces/default/deployments',
  '/apis/apps/v1/namespaces/default/deployments/d/scale',
  '/apis/coordination.k8s.io/v1/namespaces/default/leases',
  '/api/v1/namespaces/default/pods/p/binding',
  '/api',
  '/apis',
  '/openapi/v2',
  '/version',
]
const QUERIES = [
  '',
  '',
  '',
  'limit=1',
  'limit=-1',
  'labelSelector=a',
  'labelSelector=%00',
  'fieldSelector=x',
  'resourceVersion=1',
  'resourceVersion=-1',
  'dryRun=All',
]
const MORE_QUERIES = [
  'fieldValidation=Strict',
  'continue=e30',
  'resourceVersionMatch=Exact',
  'pretty=1',
  'fieldManager=%ff',
  'propagationPolicy=x',
  'gracePeriodSeconds=x',
  '&&==&',
  '%',
]
const TYPES = [
  'application/json',
  'application/json',
  'application/json',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/json-patch+json',
  'application/cbor',
  'x/y',
]
const ACCEPTS = [
  'application/json',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
  '*/*',
  'application/json;as=Table;v=v1;g=meta.k8s.io',
  'nonsense',
]
const METHODS = ['GET', 'POST', 'POST', 'POST', 'PUT', 'PUT', 'PATCH', 'PATCH', 'PATCH', 'DELETE']

/**
 * A request that is wrong in some way, and now and then right. The same for the same numbers. Never a watch, which
 * would not end.
 */
export function fuzzedRequest(random: Random): WireRequest {
  const pick = <T>(...lists: readonly (readonly T[])[]): T => {
    const all = lists.flat()
    return all[Math.floor(random() * all.length)] as T
  }
  const method = pick(METHODS)
  const path = `${pick(PATHS)}?${pick(QUERIES, MORE_QUERIES)}`
  const headers = { accept: pick(ACCEPTS), ...(method !== 'GET' && { 'content-type': pick(TYPES) }) }
  if (method === 'GET') return { method, path, headers }
  return { method, path, headers, body: damaged(random, random() < 0.1 ? patchText(random) : objectText(random, 0)) }
}

function objectText(random: Random, depth: number): string {
  const keys = [...KEYS, ...MORE_KEYS]
  const members = Array.from({ length: Math.floor(random() * 6) }, () => {
    const key = keys[Math.floor(random() * keys.length)] as string
    const value = depth < 4 && random() < 0.5 ? objectText(random, depth + 1) : (VALUES[Math.floor(random() * VALUES.length)] as string)
    return `${JSON.stringify(key)}:${random() < 0.15 ? `[${value},${value}]` : value}`
  })
  const named = depth === 0 && random() < 0.5 ? ['"metadata":{"name":"f"}'] : []
  return `{${[...named, ...members].join(',')}}`
}

function patchText(random: Random): string {
  const paths = ['/data', '/data/a', '/metadata/labels/-', '/metadata/finalizers/0', '/__proto__/x', '', 'a', '/~2', '/metadata/name']
  const operations = ['add', 'remove', 'replace', 'move', 'copy', 'test', 'bogus']
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  return `[${Array.from({ length: 4 }, () => `{"op":"${pick(operations)}","path":"${pick(paths)}","from":"${pick(paths)}","value":${pick(VALUES)}}`).join(',')}]`
}

/** In half of the cases the text is cut, or bytes of it are changed. */
function damaged(random: Random, text: string): Buffer {
  const bytes = Buffer.from(text)
  const dice = random()
  if (dice < 0.15) return bytes.subarray(0, Math.floor(random() * bytes.length))
  if (dice < 0.2) return Buffer.concat([Buffer.from('k8s\0'), bytes])
  if (dice < 0.5) for (let n = 0; n < 3 && bytes.length > 0; n++) bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256)
  return bytes
}
