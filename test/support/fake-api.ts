import { apiHandler, testApi } from './api-handler.ts'
import { FakeExchange, type FakeRequest, scopeOf } from './exchange.ts'
import type { TestRegistry } from './test-registry.ts'

/** The path below the version: `widgets`, `namespaces/ns/widgets/a/status`, `watch/widgets`. */
export async function callApi(
  t: TestRegistry,
  path: string,
  request: FakeRequest = {},
  version = t.served().version.name,
): Promise<FakeExchange> {
  const { group } = t.served().version
  const exchange = new FakeExchange(`/apis/${group}/${version}/${path}`, request)
  await apiHandler(testApi(scopeOf(t, exchange, 'get').env))(exchange)
  return exchange
}
