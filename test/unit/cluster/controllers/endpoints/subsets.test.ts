import { expect } from 'chai'
import type { EndpointSubset, Pod, Service } from '../../../../../src/api/core/v1.types.ts'
import { endpointsInSteps, endpointsOf } from '../../../../../src/cluster/controllers/endpoints/endpoints.ts'
import { subsetsInSteps, subsetsOf, truncated } from '../../../../../src/cluster/controllers/endpoints/subsets.ts'
import { countedSteps } from '../../../../support/counted-steps.ts'
import { podOf } from '../../../../support/scheduling.ts'
import { endpointsObject, serviceOf } from '../../../../support/slices.ts'

const pod = (name: string, ready = true, spec: Partial<Pod['spec']> = {}, ip = `10.0.0.${name.slice(1)}`): Pod => {
  const conditions = [{ type: 'Ready', status: ready ? 'True' : 'False' }] as NonNullable<Pod['status']['conditions']>
  return podOf({ name, spec: { nodeName: 'n', ...spec }, status: { phase: 'Running', podIP: ip, podIPs: [{ ip }], conditions } })
}

const shapeOf = (subsets: readonly EndpointSubset[]): object[] =>
  subsets.map(({ addresses = [], notReadyAddresses = [], ports = [] }) => [
    addresses.map(({ ip }) => ip),
    notReadyAddresses.map(({ ip }) => ip),
    ports.map(({ port }) => port),
  ])

const named = (port: number): Partial<Pod['spec']> => ({
  containers: [{ name: 'c', image: 'app', resources: {}, ports: [{ name: 'http', containerPort: port, protocol: 'TCP' }] }],
})

describe('subsets of Endpoints', () => {
  it('have the addresses that serve the same ports', async () => {
    const ports: Service['spec']['ports'] = [
      { name: 'a', port: 80, targetPort: 'http', protocol: 'TCP' },
      { name: 'b', port: 90, targetPort: 9090, protocol: 'TCP' },
    ]
    const pods = [pod('p2', true, named(8001)), pod('p1', true, named(8001)), pod('p3', false, named(8002))]
    expect(shapeOf(await subsetsOf(serviceOf({ ports }), pods))).to.deep.equal([
      [['10.0.0.1', '10.0.0.2'], [], [8001]],
      [[], ['10.0.0.3'], [8002]],
      [['10.0.0.1', '10.0.0.2'], ['10.0.0.3'], [9090]],
    ])
  })

  it('combine ports with the same addresses, and sort addresses', async () => {
    const ports: Service['spec']['ports'] = [80, 90].map(port => ({ name: `p${port}`, port, targetPort: port, protocol: 'TCP' }))
    expect(shapeOf(await subsetsOf(serviceOf({ ports }), [pod('p2'), pod('p1')]))).to.deep.equal([[['10.0.0.1', '10.0.0.2'], [], [80, 90]]])
  })

  it('are made in steps for very many ports', () => {
    const count = 5000
    const ports: Service['spec']['ports'] = Array.from({ length: count }, (_, i) => ({
      name: `p${i}`,
      port: i + 1,
      targetPort: `t${i}`,
      protocol: 'TCP',
    }))
    const containerPorts = ports.map((_, i) => ({ name: `t${i}`, containerPort: i + 1, protocol: 'TCP' as const }))
    const one = pod('p1', true, { containers: [{ name: 'c', image: 'app', resources: {}, ports: containerPorts }] })
    const { result, yields } = countedSteps(subsetsInSteps(serviceOf({ ports }), [one]))
    expect(yields).to.be.at.least(Math.floor(count / 512) + Math.floor((2 * count) / 1025))
    expect(result).to.have.length(1)
    expect(result[0]?.ports?.map(({ port }) => port).toSorted((a, b) => a - b)).to.deep.equal(containerPorts.map((_, i) => i + 1))
  })

  it('have no ports for a headless service without ports', async () => {
    expect(shapeOf(await subsetsOf(serviceOf({ ports: [], clusterIP: 'None' }), [pod('p1')]))).to.deep.equal([[['10.0.0.1'], [], []]])
    expect(await subsetsOf(serviceOf({ ports: [] }), [pod('p1')])).to.deep.equal([])
  })

  it('have host name, node and pod of each address', async () => {
    const [subset] = await subsetsOf(serviceOf(), [pod('p1', true, { hostname: 'h', subdomain: 'web' })])
    expect(subset?.addresses).to.deep.equal([
      { ip: '10.0.0.1', hostname: 'h', nodeName: 'n', targetRef: { kind: 'Pod', namespace: 'default', name: 'p1', uid: 'p1' } },
    ])
  })

  it('lose addresses that are not ready first, each subset in proportion', () => {
    const many = (count: number, from = 0): { ip: string }[] => Array.from({ length: count }, (_, i) => ({ ip: String(from + i) }))
    const sizes = (subsets: readonly EndpointSubset[]): object[] =>
      subsets.map(({ addresses = [], notReadyAddresses = [] }) => [addresses.length, notReadyAddresses.length])
    expect(
      sizes(
        truncated([
          { addresses: many(600), notReadyAddresses: many(300) },
          { addresses: many(200), notReadyAddresses: many(100) },
        ]),
      ),
    ).to.deep.equal([
      [600, 150],
      [200, 50],
    ])
    expect(sizes(truncated([{ addresses: many(900) }, { addresses: many(600), notReadyAddresses: many(7) }]))).to.deep.equal([
      [600, 0],
      [400, 0],
    ])
    const small = [{ addresses: many(1000) }]
    expect(truncated(small)).to.equal(small)
  })
})

describe('Endpoints of a service', () => {
  const subsets: EndpointSubset[] = [{ addresses: [{ ip: '10.0.0.1' }], ports: [{ port: 80, protocol: 'TCP' }] }]
  const changedAt = Date.parse('2030-01-01T00:00:05Z')

  it('have the labels of the service and the time of the change', () => {
    const service = serviceOf({ clusterIP: 'None' }, { labels: { a: 'b' } })
    expect(endpointsOf({ service, subsets, current: undefined, changedAt, isLabelled: true })).to.deep.include({
      metadata: {
        name: 'web',
        namespace: 'default',
        labels: { a: 'b', 'endpoints.kubernetes.io/managed-by': 'endpoint-controller', 'service.kubernetes.io/headless': '' },
        annotations: { 'endpoints.kubernetes.io/last-change-trigger-time': '2030-01-01T00:00:05Z' },
      },
      subsets,
    })
  })

  it('are written only if they differ', () => {
    const labels = { 'endpoints.kubernetes.io/managed-by': 'endpoint-controller' }
    const write = (current = endpointsObject(subsets, { labels }), isLabelled = true): boolean =>
      endpointsOf({ service: serviceOf(), subsets, current, changedAt, isLabelled }) !== undefined
    expect(write()).to.equal(false)
    expect(write(endpointsObject(subsets), false)).to.equal(false)
    expect(write(endpointsObject(subsets))).to.equal(true)
    expect(write(endpointsObject([], { labels }))).to.equal(true)
    expect(write(endpointsObject(subsets, { labels: { ...labels, a: 'b' } }))).to.equal(true)
    expect(write(endpointsObject(subsets, { labels, annotations: { 'endpoints.kubernetes.io/over-capacity': 'truncated' } }))).to.equal(
      true,
    )
  })

  it('drop the annotations of an earlier state', () => {
    const annotations = {
      'endpoints.kubernetes.io/over-capacity': 'truncated',
      'endpoints.kubernetes.io/last-change-trigger-time': 'x',
      mine: 'y',
    }
    const written = endpointsOf({
      service: serviceOf(),
      subsets,
      current: endpointsObject([], { annotations }),
      changedAt: undefined,
      isLabelled: true,
    })
    expect(written?.metadata.annotations).to.deep.equal({ mine: 'y' })
  })

  it('get very many labels of the service in steps', () => {
    const labels = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`k${i}`, 'v']))
    const plain = serviceOf()
    const service = { ...plain, metadata: { ...plain.metadata, labels } }
    const input = { service, subsets: [], changedAt: undefined, isLabelled: true }
    const { result, yields } = countedSteps(endpointsInSteps({ ...input, current: undefined }))
    expect(yields).to.be.at.least(Math.floor(20_000 / 512))
    expect(result?.metadata.labels).to.deep.include({ ...labels, 'endpoints.kubernetes.io/managed-by': 'endpoint-controller' })
    expect(countedSteps(endpointsInSteps({ ...input, current: result })).result).to.equal(undefined)
    expect(labels).to.have.property('k19999')
  })
})
