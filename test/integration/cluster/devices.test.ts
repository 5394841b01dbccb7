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
  {
    cel: {
      expression:
        "device.attributes['gpu.example.com'].model == 'large' && device.capacity['gpu.example.com'].memory.isGreaterThan(quantity('10Gi'))",
    },
  },
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
  spec: {
    containers: [{ name: 'c', image: 'app:1', resources: { claims: [{ name: 'gpu' }] } }],
    resourceClaims: [{ name: 'gpu', ...claim }],
  },
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

describe('devices of a cluster in 1.36', () => {
  it('are shared, prepared before the pod is bound, and given for extended resources', async () => {
    const plane = await startControlPlane({ flags: { profile: 'cluster', 'emulated-version': '1.36', nodes: 1 } })
    const get = async (path: string): Promise<AnyObject> => (await plane.request<AnyObject>('GET', path)).body
    await plane.until(async () => (await get('/api/v1/nodes')).items.length === 1)
    const node = (await get('/api/v1/nodes')).items[0].metadata.name
    const devices = [
      {
        name: 'shared',
        attributes: { kind: { string: 'shared' } },
        allowMultipleAllocations: true,
        capacity: { memory: { value: '10Gi' } },
      },
      { name: 'slow', attributes: { kind: { string: 'slow' } }, bindingConditions: ['attached'], bindingFailureConditions: ['broken'] },
      { name: 'plain', attributes: { kind: { string: 'plain' } } },
    ]
    const ofKind = (kind: string) => [{ cel: { expression: `device.attributes['d.example.com'].kind == '${kind}'` } }]
    const claim = (name: string, kind: string, more: object = {}): Manifest =>
      resource(
        'ResourceClaim',
        name,
        { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'any', selectors: ofKind(kind), ...more } }] } },
        'default',
      )
    const share = { capacity: { requests: { memory: '5Gi' } } }
    await plane.apply(
      resource('DeviceClass', 'any', {}),
      resource('DeviceClass', 'plain', { extendedResourceName: 'example.com/plain', selectors: ofKind('plain') }),
      resource('ResourceSlice', 's', {
        driver: 'd.example.com',
        nodeName: node,
        pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
        devices,
      }),
      ...['a', 'b', 'c'].map(name => claim(`shared-${name}`, 'shared', share)),
      claim('slow', 'slow'),
    )
    const phase = async (name: string): Promise<string> => (await get(`${PODS}/${name}`)).status?.phase
    await plane.apply(...['a', 'b', 'c'].map(name => pod(name, { resourceClaimName: `shared-${name}` })))
    const assigned = async (): Promise<string[]> =>
      (await get(PODS)).items.filter(({ spec }: AnyObject) => spec.nodeName).map(({ metadata }: AnyObject) => metadata.name)
    await plane.until(async () => (await assigned()).length === 2)
    await plane.until(async () =>
      (await get(PODS)).items.some(({ status }: AnyObject) =>
        status.conditions?.some(({ reason }: AnyObject) => reason === 'Unschedulable'),
      ),
    )
    const uses = (await get(CLAIMS)).items.flatMap(({ status }: AnyObject) => status?.allocation?.devices.results ?? [])
    expect(uses.map(({ consumedCapacity }: AnyObject) => consumedCapacity)).to.deep.equal([{ memory: '5Gi' }, { memory: '5Gi' }])
    expect(new Set(uses.map(({ shareID }: AnyObject) => shareID)).size).to.equal(2)

    await plane.apply(pod('waits', { resourceClaimName: 'slow' }))
    await plane.until(async () => (await get(`${CLAIMS}/slow`)).status?.reservedFor?.length === 1)
    const events = async (): Promise<string[]> =>
      (await get('/apis/events.k8s.io/v1/namespaces/default/events')).items.map(({ note }: AnyObject) => note)
    await plane.until(async () => (await events()).includes(`waiting for binding conditions for device on node ${node}`))
    expect((await get(`${PODS}/waits`)).spec.nodeName).to.equal(undefined)
    const conditions = [{ type: 'attached', status: 'True', reason: 'r', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' }]
    const status = { devices: [{ driver: 'd.example.com', pool: 'p', device: 'slow', conditions }] }
    await plane.request('PATCH', `${CLAIMS}/slow/status`, { body: { status }, contentType: 'application/merge-patch+json' })
    await plane.until(async () => (await get(`${PODS}/waits`)).spec.nodeName === node)

    const requests = { 'example.com/plain': '1' }
    const containers = [{ name: 'c', image: 'app:1', resources: { requests, limits: requests } }]
    await plane.apply({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'extended', namespace: 'default' }, spec: { containers } })
    await plane.until(async () => (await get(`${PODS}/extended`)).spec.nodeName === node)
    const { requestMappings, resourceClaimName } = (await get(`${PODS}/extended`)).status.extendedResourceClaimStatus
    expect(requestMappings).to.deep.equal([{ containerName: 'c', resourceName: 'example.com/plain', requestName: 'container-0-request-0' }])
    const made = await get(`${CLAIMS}/${resourceClaimName}`)
    expect(made.metadata.annotations).to.deep.equal({ 'resource.kubernetes.io/extended-resource-claim': 'true' })
    expect(made.status.allocation.devices.results[0].device).to.equal('plain')
    expect(await phase('extended')).to.be.a('string')
    await plane.stop()
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
    expect(claim.status.allocation.devices.results).to.deep.equal([
      { request: 'r', driver: 'gpu.example.com', pool: 'p', device: 'gpu-0', adminAccess: null },
    ])
    await plane.stop()
  })
})

describe('devices of a cluster that rules taint', () => {
  for (const [release, version, flags] of [
    [
      '1.34',
      'v1alpha3',
      { 'feature-gates': 'DRADeviceTaints=true,DRAAdminAccess=true', 'runtime-config': 'resource.k8s.io/v1alpha3=true' },
    ],
    ['1.37', 'v1', {}],
  ] as const)
    it(`are not allocated without a toleration, until the rule is gone, in ${release}`, async () => {
      const plane = await startControlPlane({ flags: { profile: 'cluster', 'emulated-version': release, nodes: 1, ...flags } })
      try {
        const get = async (path: string): Promise<AnyObject> => (await plane.request<AnyObject>('GET', path)).body
        const nodeOfPod = async (name: string): Promise<string | undefined> => (await get(`${PODS}/${name}`)).spec.nodeName
        const claim = (name: string, tolerations: object[] = []): Manifest =>
          resource(
            'ResourceClaim',
            name,
            { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'gpu', tolerations } }] } },
            'default',
          )
        await plane.until(async () => (await get('/api/v1/nodes')).items.length === 1)
        const rule = { deviceSelector: { driver: 'gpu.example.com' }, taint: { key: 'broken', effect: 'NoSchedule' } }
        await plane.apply({ ...resource('DeviceTaintRule', 'broken', rule), apiVersion: `resource.k8s.io/${version}` })
        const nodeName = (await get('/api/v1/nodes')).items[0].metadata.name
        const pool = { name: 'p', generation: 1, resourceSliceCount: 1 }
        const devices = [{ name: 'gpu-0' }, { name: 'gpu-1' }]
        await plane.apply(gpus, resource('ResourceSlice', 'gpus', { driver: 'gpu.example.com', nodeName, pool, devices }))
        await plane.apply(claim('strict'), claim('tolerant', [{ key: 'broken', operator: 'Exists' }]))
        await plane.apply(pod('strict', { resourceClaimName: 'strict' }), pod('tolerant', { resourceClaimName: 'tolerant' }))
        await plane.until(async () => (await nodeOfPod('tolerant')) !== undefined)
        await plane.until(async () => (await get(`${PODS}/strict`)).status.conditions?.[0]?.message?.includes('cannot allocate all claims'))
        expect(await nodeOfPod('strict')).to.equal(undefined)
        await plane.request('DELETE', `/apis/resource.k8s.io/${version}/devicetaintrules/broken`)
        await plane.until(async () => (await nodeOfPod('strict')) !== undefined)
      } finally {
        await plane.stop()
      }
    })
})
