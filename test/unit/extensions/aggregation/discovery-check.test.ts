import { expect } from 'chai'
import type { APIService } from '../../../../src/api/apiregistration/v1.types.ts'
import { discoveryCheck } from '../../../../src/extensions/aggregation/discovery-check.ts'
import { Via } from '../../../../src/extensions/aggregation/via.ts'
import { dialThrough } from '../../../../src/lib/connect-proxy.ts'
import { AggregatedServer } from '../../../support/aggregated-server.ts'
import { ConnectProxyServer } from '../../../support/connect-proxy-server.ts'

const { signal } = new AbortController()
const service: APIService = {
  kind: 'APIService',
  apiVersion: 'apiregistration.k8s.io/v1',
  metadata: { name: 'group.remote' },
  spec: { group: 'remote', version: 'group', groupPriorityMinimum: 1, versionPriority: 1, service: { namespace: 'foo', name: 'bar' } },
  status: {},
}

describe('discoveryCheck', () => {
  let backend: AggregatedServer
  before(async () => {
    backend = await AggregatedServer.start('bar')
  })
  after(() => backend.close())
  const environment = () => ({ resolve: async () => ({ host: '127.0.0.1', port: backend.port }), client: undefined, via: new Via('a') })

  // Upstream's table: TestSync in pkg/controllers/status/remote of kube-aggregator.
  for (const [status, passes] of [
    [200, true],
    [403, false],
    [302, false],
    [304, false],
  ] as const)
    it(`${passes ? 'passes' : 'fails'} with ${status}, and follows no redirect`, async () => {
      backend.heard.length = 0
      backend.act = (_req, res) => res.writeHead(status, { Location: '/test' }).end()
      const url = `https://127.0.0.1:${backend.port}/apis/remote/group`
      const fault = `failing or missing response from ${url}: bad status from ${url}: ${status}`
      expect(await discoveryCheck(environment())(service, signal)).to.equal(passes ? undefined : fault)
      expect(new Set(backend.heard.map(({ url: asked }) => asked))).to.deep.equal(new Set(['/apis/remote/group']))
    })

  it('uses the proxy of the egress type cluster', async () => {
    const proxy = await ConnectProxyServer.start()
    try {
      backend.act = (_req, res) => res.end()
      const dial = dialThrough({ at: { host: '127.0.0.1', port: proxy.port } })
      expect(await discoveryCheck({ ...environment(), dial })(service, signal)).to.equal(undefined)
      expect(new Set(proxy.asked)).to.deep.equal(new Set([`127.0.0.1:${backend.port}`]))
    } finally {
      proxy.close()
    }
  })
})
