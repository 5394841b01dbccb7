import { expect } from 'chai'
import { startControlPlane } from '../../../src/testing/start-control-plane.ts'
import type { ControlPlane, Manifest } from '../../../src/testing/types.ts'
import type { AnyObject } from '../../support/any-object.ts'

const STAGES = '/apis/kwok.x-k8s.io/v1alpha1/stages'
const pod = (name: string): Manifest =>
  ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default' },
    spec: { nodeName: 'node-1', containers: [{ name: 'c', image: 'app:1' }] },
  }) as Manifest
const stage = (name: string, kind: string, spec: object): Manifest =>
  ({ apiVersion: 'kwok.x-k8s.io/v1alpha1', kind: 'Stage', metadata: { name }, spec: { resourceRef: { apiGroup: 'v1', kind }, ...spec } }) as Manifest
const toPhase = (phase: string, from: string) => ({
  selector: { matchExpressions: [{ key: '.status.phase', operator: 'In', values: [from] }] },
  steps: [{ patch: { root: 'status', subresource: 'status', template: `phase: ${phase}\nreason: Staged` } }],
})

describe('stages of users', () => {
  let original: ControlPlane
  let plane: ControlPlane
  before(async () => {
    original = await startControlPlane({ flags: { profile: 'cluster', nodes: '1' } })
    await original.until(async () => (await original.request<AnyObject>('GET', '/api/v1/nodes/node-1')).status === 200)
  })
  after(() => original.stop())
  beforeEach(async () => {
    plane = await original.fork()
    await plane.until(async () => (await plane.request<AnyObject>('GET', STAGES)).status === 200)
  })
  afterEach(() => plane.stop())

  const get = async (path: string): Promise<AnyObject> => (await plane.request<AnyObject>('GET', path)).body
  const podIn = (name: string, phase: string, reason?: string): Promise<unknown> =>
    plane.until(async () => {
      const { status } = await get(`/api/v1/namespaces/default/pods/${name}`)
      return status.phase === phase && status.reason === reason
    })
  const accepted = async (name: string): Promise<AnyObject> =>
    (await get(`${STAGES}/${name}`)).status?.conditions?.find(({ type }: AnyObject) => type === 'Accepted') ?? {}

  it('replace the built-in stages of their kind, and give way to them again', async () => {
    await plane.apply(stage('fail', 'Pod', toPhase('Failed', 'Pending')))
    await plane.until(async () => (await accepted('fail')).status === 'True')
    await plane.apply(pod('first'))
    await podIn('first', 'Failed', 'Staged')
    await plane.request('DELETE', `${STAGES}/fail`)
    await plane.apply(pod('second'))
    await podIn('second', 'Running')
  })

  it('apply to the objects that exist already', async () => {
    await plane.apply(pod('old'))
    await podIn('old', 'Running')
    await plane.apply(stage('fail', 'Pod', toPhase('Failed', 'Running')))
    await podIn('old', 'Failed', 'Staged')
  })

  it('add finalizers, and remove them before the object is deleted', async () => {
    const selector = (operator: string) => ({ matchExpressions: [{ key: '.metadata.deletionTimestamp', operator }] })
    await plane.apply(
      stage('keep', 'Pod', {
        selector: { matchExpressions: [...selector('DoesNotExist').matchExpressions, { key: '.metadata.finalizers', operator: 'DoesNotExist' }] },
        steps: [{ finalizers: { add: [{ value: 'example.dev/kept' }] } }],
      }),
    )
    await plane.apply(stage('release', 'Pod', { selector: selector('Exists'), steps: [{ finalizers: { empty: true }, delete: true }] }))
    await plane.apply(pod('kept'))
    await plane.until(async () => (await get('/api/v1/namespaces/default/pods/kept')).metadata.finalizers?.[0] === 'example.dev/kept')
    await plane.request('DELETE', '/api/v1/namespaces/default/pods/kept')
    await plane.until(async () => (await plane.request('GET', '/api/v1/namespaces/default/pods/kept')).status === 404)
  })

  it('report in their status why they take no effect', async () => {
    await plane.apply(stage('bad', 'Pod', { selector: { matchExpressions: [{ key: '.status[', operator: 'Maybe' }] } }))
    await plane.apply(stage('bind', 'PersistentVolume', toPhase('Bound', 'Pending')))
    await plane.until(async () => (await accepted('bad')).status === 'False' && (await accepted('bind')).status === 'False')
    const { reason, message } = await accepted('bad')
    expect([reason, message]).to.deep.equal(['Invalid', `Stage "bad" is invalid: ${message.split('invalid: ')[1]}`])
    expect(message).to.include('spec.selector.matchExpressions[0].key').and.include('spec.selector.matchExpressions[0].operator')
    expect((await accepted('bind')).message).to.include('stages of v1/PersistentVolume are not played')
    await plane.apply({
      apiVersion: 'kwok.x-k8s.io/v1alpha1',
      kind: 'Metric',
      metadata: { name: 'scrape' },
      spec: { path: '/metrics/nodes/{nodeName}/metrics/resource', metrics: [{ name: 'up', kind: 'gauge', value: '1' }] },
    } as Manifest)
    await plane.until(async () => {
      const { status } = await get('/apis/kwok.x-k8s.io/v1alpha1/metrics/scrape')
      return status?.conditions?.[0]?.status === 'False' && status.conditions[0].message.includes('no metrics yet')
    })
    await plane.apply(pod('unmoved'))
    await podIn('unmoved', 'Running')
  })
})
