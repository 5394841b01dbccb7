import { expect } from 'chai'
import { startControlPlane } from '../../../src/testing/start-control-plane.ts'
import type { ControlPlane, Manifest } from '../../../src/testing/types.ts'
import type { AnyObject } from '../../support/any-object.ts'

const CLAIMS = '/apis/resource.k8s.io/v1/namespaces/default/resourceclaims'
const PODS = '/api/v1/namespaces/default/pods'
const request = { name: 'r', exactly: { deviceClassName: 'c' } }
const claimSpec = { devices: { requests: [request] } }
const template: Manifest = {
  apiVersion: 'resource.k8s.io/v1',
  kind: 'ResourceClaimTemplate',
  metadata: { name: 't', namespace: 'default' },
  spec: { spec: claimSpec },
}
const pod = (name: string, claim: object, spec: object = {}): Manifest => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default' },
  spec: {
    containers: [{ name: 'c', image: 'app:1', resources: { claims: [{ name: 'gpu' }] } }],
    resourceClaims: [{ name: 'gpu', ...claim }],
    ...spec,
  },
})
const allocation = { devices: { results: [{ request: 'r', driver: 'd.example.com', pool: 'p', device: 'x' }] } }

describe('claims for devices in a cluster', () => {
  let original: ControlPlane
  let plane: ControlPlane
  before(async () => {
    original = await startControlPlane({
      clock: 'stopped',
      flags: { profile: 'cluster', 'emulated-version': '1.34', controllers: ['*', '-kubelet', '-scheduler'] },
    })
  })
  after(() => original.stop())
  beforeEach(async () => {
    plane = await original.fork()
  })
  afterEach(() => plane.stop())

  const get = async (path: string): Promise<AnyObject> => (await plane.request<AnyObject>('GET', path)).body
  const claims = async (): Promise<AnyObject[]> => (await get(CLAIMS)).items
  const setStatus = async (path: string, status: object): Promise<void> => {
    const { status: code, body } = await plane.request('PATCH', `${path}/status`, { body: { status } })
    expect(code, JSON.stringify(body)).to.equal(200)
  }

  it('are made of templates, again if they are deleted, and deleted when the pod has ended', async () => {
    await plane.apply(pod('p', { resourceClaimTemplateName: 't' }))
    const failed = 'PodResourceClaim gpu: resource claim template "t": resourceclaimtemplate.resource.k8s.io "t" not found'
    await plane.until(async () => (await get('/api/v1/events')).items.some(({ message }: AnyObject) => message === failed))
    await plane.apply(template)
    await plane.until(async () => (await get(`${PODS}/p`)).status.resourceClaimStatuses !== undefined)
    const [made] = await claims()
    expect((await get(`${PODS}/p`)).status.resourceClaimStatuses).to.deep.equal([{ name: 'gpu', resourceClaimName: made?.metadata.name }])
    expect(made?.metadata.name).to.match(/^p-gpu-/)
    expect(made?.metadata.annotations).to.deep.equal({ 'resource.kubernetes.io/pod-claim-name': 'gpu' })
    await plane.request('DELETE', `${CLAIMS}/${made?.metadata.name}`)
    await plane.until(async () => {
      const [again] = await claims()
      const [known] = (await get(`${PODS}/p`)).status.resourceClaimStatuses
      return again !== undefined && again.metadata.uid !== made?.metadata.uid && known.resourceClaimName === again.metadata.name
    })
    await setStatus(`${PODS}/p`, { phase: 'Succeeded' })
    await plane.until(async () => (await claims()).length === 0)
  })

  it('are reserved for pods that have a node, and freed when the last one is gone', async () => {
    await plane.apply({
      apiVersion: 'resource.k8s.io/v1',
      kind: 'ResourceClaim',
      metadata: { name: 'c', namespace: 'default' },
      spec: claimSpec,
    })
    await plane.request('PATCH', `${CLAIMS}/c`, { body: { metadata: { finalizers: ['resource.kubernetes.io/delete-protection'] } } })
    await setStatus(`${CLAIMS}/c`, { allocation })
    await plane.apply({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } })
    await plane.apply(pod('p', { resourceClaimName: 'c' }, { nodeName: 'n' }))
    await plane.until(async () => (await get(`${CLAIMS}/c`)).status.reservedFor?.length === 1)
    expect((await get(`${CLAIMS}/c`)).status.reservedFor[0]).to.include({ resource: 'pods', name: 'p' })
    await plane.request('DELETE', `${PODS}/p`, { body: { gracePeriodSeconds: 0 } })
    await plane.until(async () => (await get(`${CLAIMS}/c`)).metadata.finalizers === undefined)
    expect((await get(`${CLAIMS}/c`)).status).to.not.have.any.keys('allocation', 'reservedFor')
  })
})
