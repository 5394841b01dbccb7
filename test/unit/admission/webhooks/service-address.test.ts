import { expect } from 'chai'
import {
  type EndpointsObject,
  endpointAddress,
  parseServiceAddresses,
  placedFirst,
  type ServiceObject,
} from '../../../../src/admission/webhooks/service-address.ts'
import { notFoundError } from '../../../../src/meta/status.ts'

const service = (spec: ServiceObject['spec']): ServiceObject => ({ kind: 'Service', apiVersion: 'v1', metadata: { name: 'alfa' }, spec })
const subset = (ips: readonly string[], ...ports: readonly (readonly [string, number])[]) => ({
  addresses: ips.map(ip => ({ ip })),
  ports: ports.map(([name, port]) => ({ name, port })),
})
const missing = async (): Promise<never> => {
  throw notFoundError({ group: '', resource: 'services' }, 'alfa')
}

/** Upstream's table: k8s.io/apiserver, pkg/util/proxy/proxy_test.go. */
describe('endpointAddress', () => {
  const ports = [
    { name: 'https', port: 443 },
    { name: 'other', port: 1443 },
  ]
  const cases: readonly {
    readonly name: string
    readonly spec?: ServiceObject['spec']
    readonly subsets?: EndpointsObject['subsets']
    readonly pick?: number
    readonly result: string
  }[] = [
    {
      name: 'an endpoint of the port',
      spec: { type: 'ClusterIP', ports },
      subsets: [subset(['127.0.0.1'], ['https', 8443])],
      result: '127.0.0.1:8443',
    },
    { name: 'the type by default', spec: { ports }, subsets: [subset(['127.0.0.1'], ['https', 8443])], result: '127.0.0.1:8443' },
    {
      name: 'a load balancer',
      spec: { type: 'LoadBalancer', ports },
      subsets: [subset(['10.1.1.1'], ['other', 1], ['https', 2])],
      result: '10.1.1.1:2',
    },
    { name: 'one of several', spec: { ports }, subsets: [subset(['10.1.1.1', '10.1.1.2'], ['https', 2])], pick: 1, result: '10.1.1.2:2' },
    {
      name: 'a subset that has the port',
      spec: { ports },
      subsets: [subset([], ['https', 1]), subset(['10.1.1.1'], ['other', 2]), subset(['10.1.1.3'], ['https', 3])],
      result: '10.1.1.3:3',
    },
    {
      name: 'an external name',
      spec: { type: 'ExternalName', externalName: 'foo.bar.com' },
      result: 'unsupported service type "ExternalName"',
    },
    { name: 'another port', spec: { ports: [{ port: 80 }] }, result: 'no service port 443 found for service "alfa"' },
    { name: 'no endpoints', spec: { ports }, result: 'endpoints "alfa" not found' },
    { name: 'no subsets', spec: { ports }, subsets: [], result: 'no endpoints available for service "alfa"' },
    { name: 'no addresses', spec: { ports }, subsets: [subset([], ['https', 1])], result: 'no endpoints available for service "alfa"' },
    { name: 'no service', result: 'service "alfa" not found' },
  ]
  for (const { name, spec, subsets, pick = 0, result } of cases)
    it(name, async () => {
      const getService = async () => (spec ? service(spec) : missing())
      const getEndpoints = async (): Promise<EndpointsObject> =>
        subsets ? { kind: 'Endpoints', apiVersion: 'v1', metadata: {}, subsets } : missing()
      const resolve = endpointAddress(getService, getEndpoints, count => Math.min(pick, Math.max(count - 1, 0)))
      const told = await resolve('one', 'alfa', 443).then(
        ({ host, port }) => `${host}:${port}`,
        (error: Error) => error.message,
      )
      expect(told).to.equal(result)
    })
})

describe('--service-addresses', () => {
  it('maps services, or single ports of them', async () => {
    const places = parseServiceAddresses(['a/b=127.0.0.1:8443', 'a/b:80=[::1]:8080', 'c/d=host.example:1'])
    const resolve = placedFirst(places, async () => ({ host: 'cluster', port: 1 }))
    expect(await resolve('a', 'b', 443)).to.deep.equal({ host: '127.0.0.1', port: 8443 })
    expect(await resolve('a', 'b', 80)).to.deep.equal({ host: '::1', port: 8080 })
    expect(await resolve('c', 'd', 443)).to.deep.equal({ host: 'host.example', port: 1 })
    expect(await resolve('c', 'other', 443)).to.deep.equal({ host: 'cluster', port: 1 })
  })
  for (const entry of [
    'a=127.0.0.1:1',
    'a/b',
    'a/b=127.0.0.1',
    'a/b=127.0.0.1:0',
    'a/b=127.0.0.1:65536',
    'a/b=u@host:1',
    'a/b=host/path:1',
    '/b=x:1',
    'a/b=::1:443',
  ])
    it(`rejects ${entry}`, () => expect(() => parseServiceAddresses([entry])).to.throw(`"${entry}" is not NAMESPACE/NAME=HOST:PORT`))
})
