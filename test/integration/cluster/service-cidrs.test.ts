import { expect } from 'chai'
import { startControlPlane } from '../../../src/testing/start-control-plane.ts'
import type { ControlPlane } from '../../../src/testing/types.ts'
import type { AnyObject } from '../../support/any-object.ts'

const CIDRS = '/apis/networking.k8s.io/v1/servicecidrs'
const SERVICES = '/api/v1/namespaces/default/services'
const SERVICE = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 's', namespace: 'default' },
  spec: { clusterIP: '192.0.2.5', ports: [{ port: 80 }] },
}
const FINALIZER = 'networking.k8s.io/service-cidr-finalizer'

describe('service CIDRs in a cluster', () => {
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

  const get = async (name: string): Promise<AnyObject | undefined> => {
    const { status, body } = await plane.request<AnyObject>('GET', `${CIDRS}/${name}`)
    return status === 200 ? body : undefined
  }
  const ready = async (name: string): Promise<AnyObject | undefined> =>
    (await get(name))?.status.conditions?.find(({ type }: AnyObject) => type === 'Ready')
  const create = (name: string, ...cidrs: string[]): Promise<unknown> =>
    plane.apply({ apiVersion: 'networking.k8s.io/v1', kind: 'ServiceCIDR', metadata: { name }, spec: { cidrs } })

  it('become ready, with a finalizer', async () => {
    await create('more', '192.0.2.0/28')
    await plane.until(async () => (await ready('more')) !== undefined)
    expect(await ready('more')).to.include({ status: 'True', reason: '', message: 'Kubernetes Service CIDR is ready' })
    const { metadata } = (await get('more')) as AnyObject
    expect(metadata.finalizers).to.deep.equal([FINALIZER])
    const [entry] = metadata.managedFields?.filter(({ subresource }) => subresource === 'status') ?? []
    expect(entry).to.include({ manager: 'service-cidr-controller', operation: 'Apply' })
    await plane.until(async () => (await get('kubernetes'))?.metadata.finalizers?.includes(FINALIZER) ?? false)
    expect(await ready('kubernetes')).to.include({ message: 'Kubernetes Service CIDR is ready' })
  })

  it('stay while an address is of no other one, and go ten seconds after they could', async () => {
    await create('more', '192.0.2.0/28')
    await plane.until(async () => (await ready('more')) !== undefined)
    await plane.apply(SERVICE)
    await plane.request('DELETE', `${CIDRS}/more`)
    await plane.until(async () => (await ready('more'))?.status === 'False')
    expect(await ready('more')).to.include({ reason: 'Terminating' })
    await plane.advance('1m')
    expect(await get('more')).to.not.equal(undefined)
    await plane.request('DELETE', `${SERVICES}/s`)
    await plane.until(async () => (await get('more')) === undefined)
  })

  it('go at once if a larger one has their addresses, but not before the grace period', async () => {
    await create('small', '192.0.2.0/28')
    await create('large', '192.0.2.0/24')
    await plane.until(async () => (await ready('large')) !== undefined && (await ready('small')) !== undefined)
    await plane.apply(SERVICE)
    await plane.request('DELETE', `${CIDRS}/small`)
    await plane.settled()
    expect((await get('small'))?.metadata.finalizers).to.deep.equal([FINALIZER])
    await plane.advance('11s')
    await plane.until(async () => (await get('small')) === undefined)
  })
})
