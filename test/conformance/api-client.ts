import { expect } from 'chai'
import type { ConfigMap, Pod } from '../../src/api/core/v1.types.ts'
import type { ApiClient, ResourceKind } from '../../src/clients/api-client.ts'
import { PODS, SUBJECT_ACCESS_REVIEWS } from '../../src/cluster/shared/kinds.ts'
import { isStatusError } from '../../src/meta/status.ts'
import { eventually } from '../support/waiting.ts'

export const CONFIG_MAPS: ResourceKind<ConfigMap> = {
  group: '',
  version: 'v1',
  resource: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
}

const configMap = (name: string, data: Record<string, string> = {}): ConfigMap => ({
  kind: 'ConfigMap',
  apiVersion: 'v1',
  metadata: { name, namespace: 'default' },
  data,
})

/** Reason of the Status with which a call is rejected. */
const reasonOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'none',
    (error: unknown) => (isStatusError(error) ? error.reason : String(error)),
  )

/** Suite of API clients. @param open returns a client of a server with the namespace `default`. */
export function apiClientSuite(open: () => ApiClient): void {
  it('creates, reads, replaces, patches and deletes an object', async () => {
    const client = open()
    const created = await client.create(CONFIG_MAPS, configMap('crud', { a: '1' }))
    expect(created.metadata.uid).to.be.a('string')
    const updated = await client.update(CONFIG_MAPS, { ...created, data: { a: '2' } })
    expect(updated.data).to.deep.equal({ a: '2' })
    await client.patch(CONFIG_MAPS, { namespace: 'default', name: 'crud' }, { data: { b: '3' } })
    expect(await client.get(CONFIG_MAPS, 'default', 'crud')).to.deep.include({
      kind: 'ConfigMap',
      apiVersion: 'v1',
      data: { a: '2', b: '3' },
    })
    await client.delete(CONFIG_MAPS, 'default', 'crud')
    expect(await reasonOf(client.get(CONFIG_MAPS, 'default', 'crud'))).to.equal('NotFound')
  })

  it('sends JSON patches, and rejects patches with another uid', async () => {
    const client = open()
    const created = await client.create(CONFIG_MAPS, configMap('patched'))
    const name = { namespace: 'default', name: 'patched' }
    const withUid = (uid: string) => [
      { op: 'test', path: '/metadata/uid', value: uid },
      { op: 'add', path: '/data', value: { a: '1' } },
    ]
    expect((await client.patch(CONFIG_MAPS, name, withUid(created.metadata.uid ?? ''), 'json')).data).to.deep.equal({ a: '1' })
    expect(await reasonOf(client.patch(CONFIG_MAPS, name, withUid('other'), 'json'))).to.equal('Invalid')
    expect(await reasonOf(client.patch(CONFIG_MAPS, name, { metadata: { uid: 'other' }, data: { b: '2' } }))).to.equal('Invalid')
    expect(await reasonOf(client.patch(CONFIG_MAPS, name, { metadata: { uid: 'other' }, data: { b: '2' } }, 'strategic'))).to.equal(
      'Invalid',
    )
    expect((await client.get(CONFIG_MAPS, 'default', 'patched')).data).to.deep.equal({ a: '1' })
  })

  it('rejects a replacement of an old version, and deletions with another uid', async () => {
    const client = open()
    const created = await client.create(CONFIG_MAPS, configMap('old'))
    await client.update(CONFIG_MAPS, { ...created, data: { a: '1' } })
    expect(await reasonOf(client.update(CONFIG_MAPS, { ...created, data: { a: '2' } }))).to.equal('Conflict')
    expect(await reasonOf(client.delete(CONFIG_MAPS, 'default', 'old', { uid: 'other' }))).to.equal('Conflict')
    expect(await reasonOf(client.create(CONFIG_MAPS, configMap('old')))).to.equal('AlreadyExists')
  })

  it('generates names, and writes the status apart', async () => {
    const client = open()
    const created = await client.create(PODS, {
      kind: 'Pod',
      apiVersion: 'v1',
      metadata: { generateName: 'pod-', namespace: 'default' },
      spec: { containers: [{ name: 'c', image: 'i', resources: {} }] },
      status: {},
    })
    expect(created.metadata.name).to.match(/^pod-[a-z0-9]{5}$/)
    const next: Pod = { ...created, spec: { ...created.spec, activeDeadlineSeconds: 5 }, status: { ...created.status, phase: 'Running' } }
    const updated = await client.update(PODS, next, 'status')
    expect(updated.status.phase).to.equal('Running')
    expect(updated.spec.activeDeadlineSeconds).to.equal(undefined)
    await client.delete(PODS, 'default', updated.metadata.name ?? '', { gracePeriodSeconds: 0 })
  })

  it('applies configurations, with conflicts between managers', async () => {
    const client = open()
    const name = { namespace: 'default', name: 'applied' }
    await client.apply(CONFIG_MAPS, name, { data: { a: '1' } }, { fieldManager: 'one' })
    expect(await reasonOf(client.apply(CONFIG_MAPS, name, { data: { a: '2' } }, { fieldManager: 'two' }))).to.equal('Conflict')
    const forced = await client.apply(CONFIG_MAPS, name, { data: { a: '2' } }, { fieldManager: 'two', force: true })
    expect(forced.data).to.deep.equal({ a: '2' })
    expect(forced.metadata.managedFields?.map(({ manager, operation }) => `${operation} ${manager}`)).to.deep.equal(['Apply two'])
    expect(
      await reasonOf(client.apply(CONFIG_MAPS, name, { metadata: { uid: 'other', resourceVersion: '1' } }, { fieldManager: 'one' })),
    ).to.equal('Conflict')
    await client.delete(CONFIG_MAPS, 'default', 'applied')
    const gone = { metadata: { uid: forced.metadata.uid ?? '', resourceVersion: forced.metadata.resourceVersion ?? '' } }
    expect(await reasonOf(client.apply(CONFIG_MAPS, name, gone, { fieldManager: 'one' }))).to.equal('Conflict')
  })

  it('finds the kinds of a group, in the preferred version first', async () => {
    const client = open()
    const [first] = (await client.kindsOf('autoscaling')).filter(({ resource }) => resource === 'horizontalpodautoscalers')
    expect(first).to.deep.equal({
      group: 'autoscaling',
      version: 'v2',
      resource: 'horizontalpodautoscalers',
      kind: 'HorizontalPodAutoscaler',
      namespaced: true,
    })
    const core = (await client.kindsOf('')).map(({ resource }) => resource)
    expect(core).to.include.members(['configmaps', 'nodes'])
    expect(core).to.not.include.members(['bindings', 'pods/status'])
    expect(await client.kindsOf('none.example.com')).to.deep.equal([])
  })

  it('creates an object at a subresource', async () => {
    const client = open()
    const pod = await client.create(PODS, {
      kind: 'Pod',
      apiVersion: 'v1',
      metadata: { name: 'bound', namespace: 'default' },
      spec: { containers: [{ name: 'c', image: 'i', resources: {} }] },
      status: {},
    })
    const { uid = '' } = pod.metadata
    const binding = {
      kind: 'Binding',
      apiVersion: 'v1',
      metadata: { name: 'bound', namespace: 'default', uid },
      target: { kind: 'Node', name: 'n' },
    }
    await client.post(PODS, { namespace: 'default', name: 'bound', subresource: 'binding' }, binding)
    expect((await client.get(PODS, 'default', 'bound')).spec.nodeName).to.equal('n')
  })

  it('creates a review, and returns its result', async () => {
    const spec = {
      user: 'system:admin',
      groups: ['system:masters'],
      resourceAttributes: { verb: 'get', resource: 'pods', namespace: 'default' },
    }
    const review = { kind: 'SubjectAccessReview', apiVersion: 'authorization.k8s.io/v1', metadata: {}, spec, status: { allowed: false } }
    const { status, spec: reviewed, metadata } = await open().create(SUBJECT_ACCESS_REVIEWS, review)
    expect([typeof status.allowed, reviewed.user, metadata.uid]).to.deep.equal(['boolean', 'system:admin', undefined])
  })

  it('lists by labels, and watches from the version of the list without a gap', async () => {
    const client = open()
    const labelled = (name: string): ConfigMap => ({
      ...configMap(name),
      metadata: { name, namespace: 'default', labels: { watched: 'yes' } },
    })
    await client.create(CONFIG_MAPS, labelled('w1'))
    const selection = { namespace: 'default', labelSelector: 'watched=yes' }
    const { items, resourceVersion } = await client.list(CONFIG_MAPS, selection)
    expect(items.map(({ metadata }) => metadata.name)).to.deep.equal(['w1'])
    await client.create(CONFIG_MAPS, labelled('w2'))
    const seen: string[] = []
    const stop = new AbortController()
    const watching = client.watch(CONFIG_MAPS, { ...selection, resourceVersion }, stop.signal, change => {
      if (change.type !== 'bookmark') seen.push(`${change.type} ${change.object.metadata.name}`)
      return undefined
    })
    await eventually('the past is seen', async () => seen.length === 1)
    await client.patch(CONFIG_MAPS, { namespace: 'default', name: 'w2' }, { data: { a: '1' } })
    await client.create(CONFIG_MAPS, configMap('unwatched'))
    await client.delete(CONFIG_MAPS, 'default', 'w1')
    await eventually('the changes are seen', async () => seen.length === 3)
    expect(seen).to.deep.equal(['added w2', 'modified w2', 'deleted w1'])
    stop.abort()
    await watching
  })
}
