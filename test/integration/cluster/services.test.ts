import { expect } from 'chai'
import { startControlPlane } from '../../../src/testing/start-control-plane.ts'
import type { ControlPlane } from '../../../src/testing/types.ts'
import type { AnyObject } from '../../support/any-object.ts'

const SLICES = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices'
const PODS = '/api/v1/namespaces/default/pods'

describe('services in a cluster', () => {
  let original: ControlPlane
  let plane: ControlPlane
  before(async () => {
    original = await startControlPlane({ clock: 'stopped', flags: { profile: 'cluster', controllers: ['*', '-kubelet', '-scheduler'] } })
  })
  after(() => original.stop())
  beforeEach(async () => {
    plane = await original.fork()
  })
  afterEach(() => plane.stop())

  const items = async (path: string): Promise<AnyObject[]> => (await plane.request<{ items: AnyObject[] }>('GET', path)).body.items
  const slices = (service = 'web'): Promise<AnyObject[]> => items(`${SLICES}?labelSelector=kubernetes.io/service-name=${service}`)
  const addresses = async (): Promise<string[]> =>
    (await slices()).flatMap(({ endpoints }) => endpoints ?? []).flatMap((each: AnyObject) => each.addresses)
  const node = (name: string): Promise<unknown> =>
    plane.apply({ apiVersion: 'v1', kind: 'Node', metadata: { name, labels: { 'topology.kubernetes.io/zone': 'a' } } })
  const service = (spec: object = {}, metadata: object = {}): Promise<unknown> =>
    plane.apply({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'web', namespace: 'default', ...metadata },
      spec: { selector: { app: 'web' }, ports: [{ name: 'http', port: 80, targetPort: 8080 }], ...spec },
    })
  const pod = async (name: string, ip: string, ready = true, nodeName = 'n'): Promise<void> => {
    const metadata = { name, namespace: 'default', labels: { app: 'web' } }
    await plane.apply({ apiVersion: 'v1', kind: 'Pod', metadata, spec: { nodeName, containers: [{ name: 'c', image: 'app:1' }] } })
    await setReady(name, ready, { phase: 'Running', podIP: ip, podIPs: [{ ip }] })
  }
  const setReady = async (name: string, ready: boolean, status: object = {}): Promise<void> => {
    const conditions = [{ type: 'Ready', status: ready ? 'True' : 'False' }]
    await plane.request('PATCH', `${PODS}/${name}/status`, { body: { status: { ...status, conditions } } })
  }

  it('have slices that follow their pods', async () => {
    await node('n')
    await service({ trafficDistribution: 'PreferClose' })
    await plane.until(async () => (await slices()).length === 1)
    await pod('p1', '10.0.0.1')
    await pod('p2', '10.0.0.2', false)
    await plane.until(async () => (await addresses()).length === 2)
    await plane.settled()
    const [slice] = await slices()
    expect(slice?.metadata.ownerReferences?.[0]).to.include({ kind: 'Service', name: 'web', controller: true })
    const shown = (slice?.endpoints ?? []).map(({ addresses: [address], conditions, zone, hints }: AnyObject) => [
      address,
      conditions.ready,
      zone,
      hints,
    ])
    expect(shown.toSorted()).to.deep.equal([
      ['10.0.0.1', true, 'a', { forZones: [{ name: 'a' }] }],
      ['10.0.0.2', false, 'a', undefined],
    ])
    await plane.request('DELETE', `${PODS}/p1`, { body: { gracePeriodSeconds: 0 } })
    await plane.until(async () => (await addresses()).join() === '10.0.0.2')
    await setReady('p2', true)
    await plane.until(async () => (await slices())[0]?.endpoints[0].conditions.ready === true)
    expect((await slices())[0]?.metadata.name).to.equal(slice?.metadata.name)
  })

  it('get a slice back that another client deletes, and lose a change that another client makes', async () => {
    await node('n')
    await service()
    await pod('p1', '10.0.0.1')
    await plane.until(async () => (await addresses()).length === 1)
    const [first] = await slices()
    await plane.request('DELETE', `${SLICES}/${first?.metadata.name}`)
    await plane.until(async () => (await addresses()).length === 1 && (await slices())[0]?.metadata.uid !== first?.metadata.uid)
    const [second] = await slices()
    await plane.request('PATCH', `${SLICES}/${second?.metadata.name}`, { body: { endpoints: [] } })
    await plane.until(async () => (await addresses()).length === 1)
  })

  it('have the endpoints of pods whose node appears later', async () => {
    await service()
    await pod('p1', '10.0.0.1', true, 'late')
    await plane.until(async () =>
      (await items('/api/v1/namespaces/default/events')).some(({ reason }) => reason === 'FailedToUpdateEndpointSlices'),
    )
    expect(await addresses()).to.deep.equal([])
    await node('late')
    await plane.until(async () => (await addresses()).length === 1)
  })

  it('have at most 100 endpoints in a slice', async () => {
    await node('n')
    for (let i = 0; i < 101; i++) await pod(`p${i}`, `10.0.1.${i}`)
    await service()
    await plane.until(async () => (await addresses()).length === 101)
    expect((await slices()).map(({ endpoints }) => endpoints.length).toSorted()).to.deep.equal([1, 100])
  })

  it('have Endpoints that follow their pods, and go with the service', async () => {
    await service({ ports: [{ name: 'http', port: 80, targetPort: 8080 }] }, { labels: { a: 'b' } })
    await pod('p1', '10.0.0.1')
    await pod('p2', '10.0.0.2', false)
    const path = '/api/v1/namespaces/default/endpoints/web'
    const subset = async (): Promise<AnyObject | undefined> => (await plane.request<AnyObject>('GET', path)).body.subsets?.[0]
    await plane.until(
      async () => (await subset())?.notReadyAddresses?.[0]?.ip === '10.0.0.2' && (await subset())?.addresses?.[0]?.ip === '10.0.0.1',
    )
    expect((await subset())?.ports).to.deep.equal([{ name: 'http', port: 8080, protocol: 'TCP' }])
    const { labels } = (await plane.request<AnyObject>('GET', path)).body.metadata
    expect(labels).to.deep.equal({ a: 'b', 'endpoints.kubernetes.io/managed-by': 'endpoint-controller' })
    await plane.request('DELETE', '/api/v1/namespaces/default/services/web')
    await plane.until(async () => (await plane.request('GET', path)).status === 404)
    await plane.until(async () => (await slices()).length === 0)
  })

  it('have slices of the Endpoints that another program keeps', async () => {
    await service({ selector: null })
    const endpoints = (ip: string): Promise<unknown> =>
      plane.apply({
        apiVersion: 'v1',
        kind: 'Endpoints',
        metadata: { name: 'web', namespace: 'default' },
        subsets: [{ addresses: [{ ip }], ports: [{ name: 'http', port: 8080, protocol: 'TCP' }] }],
      })
    await endpoints('6.7.8.9')
    await plane.until(async () => (await addresses()).join() === '6.7.8.9')
    await endpoints('6.7.8.10')
    await plane.until(async () => (await addresses()).join() === '6.7.8.10')
    await service({ selector: { app: 'web' } })
    await plane.until(async () =>
      (await slices()).every(
        ({ metadata }) => metadata.labels?.['endpointslice.kubernetes.io/managed-by'] === 'endpointslice-controller.k8s.io',
      ),
    )
  })
})
