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
  ({
    apiVersion: 'kwok.x-k8s.io/v1alpha1',
    kind: 'Stage',
    metadata: { name },
    spec: { resourceRef: { apiGroup: 'v1', kind }, ...spec },
  }) as Manifest
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

  it('apply to objects that wait for a stage which is changed or deleted', async () => {
    const waiting = (name: string, phase: string): Manifest =>
      stage(name, 'Pod', { ...toPhase(phase, 'Pending'), delay: { durationMilliseconds: 3_600_000 } })
    await plane.apply(waiting('slow', 'Failed'), pod('waiting'))
    await plane.until(async () => (await accepted('slow')).status === 'True')
    await plane.settled()
    await plane.apply(stage('fast', 'Pod', toPhase('Succeeded', 'Pending')))
    await plane.request('DELETE', `${STAGES}/slow`)
    await podIn('waiting', 'Succeeded', 'Staged')
  })

  it('add finalizers, and remove them before the object is deleted', async () => {
    const selector = (operator: string) => ({ matchExpressions: [{ key: '.metadata.deletionTimestamp', operator }] })
    await plane.apply(
      stage('keep', 'Pod', {
        selector: {
          matchExpressions: [...selector('DoesNotExist').matchExpressions, { key: '.metadata.finalizers', operator: 'DoesNotExist' }],
        },
        steps: [{ finalizers: { add: [{ value: 'example.dev/kept' }] } }],
      }),
    )
    await plane.apply(stage('release', 'Pod', { selector: selector('Exists'), steps: [{ finalizers: { empty: true }, delete: true }] }))
    await plane.apply(pod('kept'))
    await plane.until(async () => (await get('/api/v1/namespaces/default/pods/kept')).metadata.finalizers?.[0] === 'example.dev/kept')
    await plane.request('DELETE', '/api/v1/namespaces/default/pods/kept')
    await plane.until(async () => (await plane.request('GET', '/api/v1/namespaces/default/pods/kept')).status === 404)
  })

  it('play for objects of other kinds, those of definitions that are created later included', async () => {
    const spec = {
      selector: { matchExpressions: [{ key: '.status.state', operator: 'DoesNotExist' }] },
      steps: [
        { event: { type: 'Normal', reason: 'Built', message: 'the house is built' } },
        { apply: { template: 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: "of-{{ .metadata.name }}"}\ndata: {a: b}' } },
        { patch: { root: 'status', subresource: 'status', template: 'state: built' } },
      ],
    }
    const ofHouses = stage('houses', 'House', spec) as { spec: object }
    await plane.apply({ ...ofHouses, spec: { ...ofHouses.spec, resourceRef: { apiGroup: 'example.dev/v1', kind: 'House' } } } as Manifest)
    await plane.until(async () => (await accepted('houses')).status === 'False')
    await plane.apply({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'houses.example.dev' },
      spec: {
        group: 'example.dev',
        scope: 'Namespaced',
        names: { plural: 'houses', kind: 'House' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            subresources: { status: {} },
            schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
          },
        ],
      },
    })
    await plane.until(async () => (await accepted('houses')).status === 'True')
    await plane.apply({ apiVersion: 'example.dev/v1', kind: 'House', metadata: { name: 'red', namespace: 'default' } })
    await plane.until(async () => (await get('/apis/example.dev/v1/namespaces/default/houses/red')).status?.state === 'built')
    expect((await get('/api/v1/namespaces/default/configmaps/of-red')).data).to.deep.equal({ a: 'b' })
    await plane.until(async () =>
      (await get('/api/v1/namespaces/default/events')).items.some(({ reason }: AnyObject) => reason === 'Built'),
    )
    await plane.request('DELETE', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/houses.example.dev')
    await plane.until(async () => (await accepted('houses')).status === 'False')
  })

  it('play for built-in kinds until they are deleted', async () => {
    const label = (name: string) => ({
      selector: { matchExpressions: [{ key: `.metadata.labels.${name}`, operator: 'DoesNotExist' }] },
      steps: [{ patch: { root: 'metadata', template: `labels: {${name}: "true"}` } }],
    })
    const config = (name: string): Manifest => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' } })
    const labels = async (name: string): Promise<object> =>
      (await get(`/api/v1/namespaces/default/configmaps/${name}`)).metadata.labels ?? {}
    await plane.apply(config('early'), stage('mark', 'ConfigMap', label('marked')))
    await plane.until(async () => 'marked' in (await labels('early')))
    await plane.apply(config('late'))
    await plane.until(async () => 'marked' in (await labels('late')))
    await plane.request('DELETE', `${STAGES}/mark`)
    await plane.settled()
    await plane.apply(config('after'))
    await plane.settled()
    expect(await labels('after')).to.deep.equal({})
  })

  it('report in their status why they take no effect', async () => {
    await plane.apply(stage('bad', 'Pod', { selector: { matchExpressions: [{ key: '.status[', operator: 'Maybe' }] } }))
    await plane.apply(stage('none', 'Unicorn', toPhase('Bound', 'Pending')))
    await plane.until(async () => (await accepted('bad')).status === 'False' && (await accepted('none')).status === 'False')
    const { reason, message } = await accepted('bad')
    expect([reason, message]).to.deep.equal(['Invalid', `Stage "bad" is invalid: ${message.split('invalid: ')[1]}`])
    expect(message).to.include('spec.selector.matchExpressions[0].key').and.include('spec.selector.matchExpressions[0].operator')
    expect((await accepted('none')).message).to.include('no served resource has the kind v1/Unicorn')
    await plane.apply({
      apiVersion: 'kwok.x-k8s.io/v1alpha1',
      kind: 'Metric',
      metadata: { name: 'scrape' },
      spec: { path: '/metrics/nodes/{nodeName}/metrics/resource', metrics: [{ name: 'up', kind: 'gauge', value: '1 +' }] },
    } as Manifest)
    await plane.until(async () => {
      const { status } = await get('/apis/kwok.x-k8s.io/v1alpha1/metrics/scrape')
      return status?.conditions?.[0]?.status === 'False' && status.conditions[0].message.includes('spec.metrics[0].value')
    })
    await plane.apply(pod('unmoved'))
    await podIn('unmoved', 'Running')
  })
})
