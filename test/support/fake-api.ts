import { createApi } from '../../src/endpoints/api.ts'
import { Discovery } from '../../src/endpoints/discovery/discovery.ts'
import { OpenApiEndpoint } from '../../src/endpoints/openapi/endpoint.ts'
import { FakeExchange, type FakeRequest, scopeOf } from './exchange.ts'
import type { TestRegistry } from './test-registry.ts'

/** The path below the version: `widgets`, `namespaces/ns/widgets/a/status`, `watch/widgets`. */
export async function callApi(t: TestRegistry, path: string, request: FakeRequest = {}): Promise<FakeExchange> {
  const { group, name: version } = t.served().version
  const parts = path.replace(/^watch\//, '').split('/')
  const inNamespace = parts[0] === 'namespaces' && parts.length > 2
  const [resource = '', name = '', subresource = ''] = inNamespace ? parts.slice(2) : parts
  const info = { group, version, resource, name, subresource, namespace: inNamespace ? (parts[1] as string) : '', parts: inNamespace ? parts.slice(2) : parts }
  const exchange = new FakeExchange(`/apis/${group}/${version}/${path}`, { ...request, info: { ...info, ...request.info } })
  await createApi(scopeOf(t, exchange).env, new Discovery(() => ''), new OpenApiEndpoint())(exchange)
  return exchange
}
