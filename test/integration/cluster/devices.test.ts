import { expect } from 'chai'
import { startControlPlane } from '../../../src/testing/start-control-plane.ts'
import type { ControlPlane, Manifest } from '../../../src/testing/types.ts'
import type { AnyObject } from '../../support/any-object.ts'

const CLAIMS = '/apis/resource.k8s.io/v1/namespaces/default/resourceclaims'
const PODS = '/api/v1/namespaces/default/pods'
const resource = (kind: string, name: string, spec: object, namespace?: string): Manifest => ({
  apiVersion: 'resource.k8s.io/v1',
  kind,
  metadata: { name, ...(namespace && { namespace }) },
  spec,
})
const isLarge = [
  { cel: { expression: "device.attributes['gpu.example.com'].model == 'large' && device.capacity['gpu.example.com'].memory.isGreaterThan(quantity('10Gi'))" } },
]
const gpus = resource('DeviceClass', 'gpu', { selectors: [{ cel: { expression: "device.driver == 'gpu.example.com'" } }] })
const claimSpec = { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'gpu', selectors: isLarge } }] } }
const template = resource('ResourceClaimTemplate', 't', { spec: claimSpec }, 'default')
const slice = (nodeName: string, model: string): Manifest =>
  resource('ResourceSlice', `gpus-${nodeName}`, {
    driver: 'gpu.example.com',
    nodeName,
    pool: { name: nodeName, generation: 1, resourceSliceCount: 1 },
    devices: [{ name: 'gpu-0', attributes: { model: { string: model } }, capacity: { memory: { value: '16Gi' } } }],
  })
const pod = (name: string, claim: object): Manifest => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default' },
  spec: { containers: [{ name: 'c', image: 'app:1', resources: { claims: [{ name: 'gpu' }] } }], resourceClaims: [{ name: 'gpu', ...claim }] },
})

describe('devices of a cluster', () => {
  let original: ControlPlane
  let plane: ControlPlane
  before(async () => {
    original = await startControlPlane({ flags: { profile: 'cluster', 'emulated-version': '1.34', nodes: 3 } })
  })
  after(() => original.stop())
  beforeEach(async () => {
    plane = await original.fork()
  })
  afterEach(() => plane.stop())

  const get = async (path: string): Promise<AnyObject> => (await plane.request<AnyObject>('GET', path)).body
  const condition = async (name: string): Promise<AnyObject | undefined> =>
    (await get(`${PODS}/${name}`)).status?.conditions?.find(({ type }: AnyObject) => type === 'PodScheduled')
  const running = (name: string): Promise<unknown> => plane.until(async () => (await get(`${PODS}/${name}`)).status?.phase === 'Running')
  const nodeNames = async (): Promise<string[]> => (await get('/api/v1/nodes')).items.map(({ metadata }: AnyObject) => metadata.name)

  it('are allocated to claims from templates, one pod at a time', async () => {
    await plane.until(async () => (await nodeNames()).length === 3)
    const [first = '', second = ''] = await nodeNames()
    await plane.apply(gpus, template, slice(first, 'small'), slice(second, 'large'))
    await plane.apply(pod('a', { resourceClaimTemplateName: 't' }))
    await running('a')
    const a = await get(`${PODS}/a`)
    expect(a.spec.nodeName).to.equal(second)
    const claim = await get(`${CLAIMS}/${a.status.resourceClaimStatuses[0].resourceClaimName}`)
    expect(claim.metadata.finalizers).to.deep.equal(['resource.kubernetes.io/delete-protection'])
    expect(claim.status).to.deep.equal({
      allocation: {
        devices: { results: [{ request: 'r', driver: 'gpu.example.com', pool: second, device: 'gpu-0' }] },
        nodeSelector: { nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [second] }] }] },
      },
      reservedFor: [{ resource: 'pods', name: 'a', uid: a.metadata.uid }],
    })

    await plane.apply(pod('b', { resourceClaimTemplateName: 't' }))
    await plane.until(async () => (await condition('b'))?.reason === 'Unschedulable')
    expect((await condition('b'))?.message).to.equal(
      '0/3 nodes are available: 3 cannot allocate all claims. still not schedulable, preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.',
    )
    await plane.request('DELETE', `${PODS}/a`, { body: { gracePeriodSeconds: 0 } })
    await running('b')
    expect((await get(`${PODS}/b`)).spec.nodeName).to.equal(second)
  })

  it('are shared by pods of one claim, on the nodes that reach them', async () => {
    await plane.until(async () => (await nodeNames()).length === 3)
    const [, second = ''] = await nodeNames()
    await plane.apply(pod('a', { resourceClaimName: 'shared' }), pod('b', { resourceClaimName: 'shared' }))
    await plane.apply(gpus, slice(second, 'large'), resource('ResourceClaim', 'shared', claimSpec, 'default'))
    await Promise.all([running('a'), running('b')])
    expect((await get(PODS)).items.map(({ spec }: AnyObject) => spec.nodeName)).to.deep.equal([second, second])
    expect((await get(`${CLAIMS}/shared`)).status.reservedFor.map(({ name }: AnyObject) => name)).to.have.members(['a', 'b'])
  })
})

describe('devices of a cluster in 1.33', () => {
  it('are allocated through v1beta1, if gate and API are on', async () => {
    const plane = await startControlPlane({
      flags: {
        profile: 'cluster',
        'emulated-version': '1.33',
        nodes: 1,
        'feature-gates': 'DynamicResourceAllocation=true',
        'runtime-config': 'resource.k8s.io/v1beta1=true',
      },
    })
    const get = async (path: string): Promise<AnyObject> => (await plane.request<AnyObject>('GET', path)).body
    const beta = (kind: string, name: string, spec: object, namespace?: string): Manifest => ({
      ...resource(kind, name, spec, namespace),
      apiVersion: 'resource.k8s.io/v1beta1',
    })
    const request = { name: 'r', deviceClassName: 'gpu', selectors: isLarge }
    await plane.until(async () => (await get('/api/v1/nodes')).items.length === 1)
    const node = (await get('/api/v1/nodes')).items[0].metadata.name
    const attributes = { model: { string: 'large' } }
    await plane.apply(
      beta('DeviceClass', 'gpu', {}),
      beta('ResourceClaim', 'c', { devices: { requests: [request] } }, 'default'),
      beta('ResourceSlice', 's', {
        driver: 'gpu.example.com',
        nodeName: node,
        pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
        devices: [{ name: 'gpu-0', basic: { attributes, capacity: { memory: { value: '16Gi' } } } }],
      }),
      pod('a', { resourceClaimName: 'c' }),
    )
    await plane.until(async () => (await get(`${PODS}/a`)).status?.phase === 'Running')
    const claim = await get(`${CLAIMS.replace('/v1/', '/v1beta1/')}/c`)
    expect(claim.spec.devices.requests[0]).to.include({ deviceClassName: 'gpu', count: 1 })
    expect(claim.status.allocation.devices.results).to.deep.equal([{ request: 'r', driver: 'gpu.example.com', pool: 'p', device: 'gpu-0', adminAccess: null }])
    await plane.stop()
  })
})
