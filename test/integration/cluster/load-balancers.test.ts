import { expect } from 'chai'
import { startControlPlane } from '../../../src/testing/start-control-plane.ts'
import type { ControlPlane } from '../../../src/testing/types.ts'
import type { AnyObject } from '../../support/any-object.ts'

const SERVICES = '/api/v1/namespaces/default/services'

describe('load balancers in a cluster', () => {
  let original: ControlPlane
  let plane: ControlPlane
  before(async () => {
    const controllers = ['*', '-kubelet', '-scheduler']
    original = await startControlPlane({
      clock: 'stopped',
      flags: { profile: 'cluster', controllers, 'load-balancer-ip-range': '192.0.2.0/29' },
    })
  })
  after(() => original.stop())
  beforeEach(async () => {
    plane = await original.fork()
  })
  afterEach(() => plane.stop())

  const get = async (name = 'web'): Promise<AnyObject> => (await plane.request<AnyObject>('GET', `${SERVICES}/${name}`)).body
  const ingress = async (name?: string): Promise<AnyObject[] | undefined> => (await get(name)).status.loadBalancer.ingress
  const service = (spec: object = {}, name = 'web'): Promise<unknown> =>
    plane.apply({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name, namespace: 'default' },
      spec: { type: 'LoadBalancer', selector: { app: name }, ports: [{ port: 80 }], ...spec },
    })
  const reasons = async (name = 'web'): Promise<string[]> => {
    const { items } = (await plane.request<{ items: AnyObject[] }>('GET', '/api/v1/namespaces/default/events')).body
    return items
      .filter(({ involvedObject, source }) => involvedObject.name === name && source.component === 'service-controller')
      .map(({ reason }) => reason)
  }

  it('have an address while the service wants one', async () => {
    await plane.apply({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } })
    await service()
    await plane.until(async () => (await ingress()) !== undefined)
    expect(await ingress()).to.deep.equal([{ ip: '192.0.2.1', ipMode: 'VIP' }])
    expect((await get()).metadata.finalizers).to.deep.equal(['service.kubernetes.io/load-balancer-cleanup'])
    await plane.settled()
    expect(await reasons()).to.deep.equal(['EnsuringLoadBalancer', 'EnsuredLoadBalancer'])
    await service({ type: 'ClusterIP' })
    await plane.until(async () => (await ingress()) === undefined && (await get()).metadata.finalizers === undefined)
    await plane.settled()
    expect((await reasons()).slice(2)).to.deep.equal(['DeletingLoadBalancer', 'DeletedLoadBalancer'])
  })

  it('keep a deleted service until they are gone, and give their address back', async () => {
    await service()
    await service({}, 'other')
    await plane.until(async () => (await ingress())?.[0]?.ip === '192.0.2.1' && (await ingress('other'))?.[0]?.ip === '192.0.2.2')
    await plane.request('DELETE', `${SERVICES}/web`)
    await plane.until(async () => (await plane.request('GET', `${SERVICES}/web`)).status === 404)
    await service({}, 'third')
    await plane.until(async () => (await ingress('third'))?.[0]?.ip === '192.0.2.1')
  })

  it('are not made for services of another class', async () => {
    await service({ loadBalancerClass: 'example.com/x' })
    await plane.settled()
    expect([await ingress(), (await get()).metadata.finalizers]).to.deep.equal([undefined, undefined])
  })

  it('report that no address is free, and get one when there is', async () => {
    for (let i = 0; i < 6; i++) await service({}, `s${i}`)
    await plane.until(async () => (await ingress('s5')) !== undefined)
    await service()
    await plane.until(async () => (await reasons()).includes('SyncLoadBalancerFailed'))
    await plane.request('DELETE', `${SERVICES}/s3`)
    await plane.settled()
    await plane.advance(6000)
    await plane.until(async () => (await ingress())?.[0]?.ip === '192.0.2.4')
  })

  it('follow the nodes', async () => {
    await service()
    await plane.until(async () => (await reasons()).includes('UnAvailableLoadBalancer'))
    await plane.apply({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } })
    await plane.until(async () => (await reasons()).includes('UpdatedLoadBalancer'))
  })
})
