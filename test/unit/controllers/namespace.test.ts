import { expect } from 'chai'
import { namespaceController } from '../../../src/controllers/namespace.ts'
import type { AnyObject } from '../../support/any-object.ts'
import { builtinRegistry, CONFIG_MAPS, controllerEnvironment, NAMESPACES, PODS } from '../../support/builtin-registry.ts'
import { eventually } from '../../support/waiting.ts'

describe('the namespace controller', () => {
  function open() {
    const t = builtinRegistry()
    const access = t.access()
    const end = new AbortController()
    const done = namespaceController(t.catalog)(controllerEnvironment(t), end.signal)
    return {
      t,
      access,
      async namespace(name: string) {
        await access.create(NAMESPACES, '', { kind: 'Namespace', apiVersion: 'v1', metadata: { name } })
      },
      async configMap(namespace: string, name: string, metadata: object = {}) {
        await access.create(CONFIG_MAPS, namespace, { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name, ...metadata } })
      },
      names: async (id = NAMESPACES, namespace = '') => (await access.list(id, namespace)).items.map(item => item.metadata.name),
      async stop() {
        end.abort()
        await done
      },
    }
  }
  const conditions = (namespace: AnyObject): Record<string, string[]> =>
    Object.fromEntries((namespace.status.conditions ?? []).map((c: Record<string, string>) => [c.type, [c.status, c.reason, c.message]]))

  it('empties a namespace that is deleted, and lets it go', async () => {
    const s = open()
    await s.namespace('going')
    await s.namespace('staying')
    for (const namespace of ['going', 'staying']) await s.configMap(namespace, 'a')
    await s.access.delete(NAMESPACES, '', 'going')
    await eventually('it has gone', async () => !(await s.names()).includes('going'))
    expect(await s.names()).to.deep.equal(['staying'])
    expect(await s.names(CONFIG_MAPS)).to.deep.equal(['a'])
    await s.stop()
  })

  it('waits for what has finalizers, and tells what', async () => {
    const s = open()
    await s.namespace('ns')
    await s.configMap('ns', 'held', { finalizers: ['example.io/x'] })
    await s.configMap('ns', 'free')
    await s.access.delete(NAMESPACES, '', 'ns')
    const stuck = async () => conditions(await s.access.get(NAMESPACES, '', 'ns'))
    await eventually('conditions', async () => 'NamespaceContentRemaining' in (await stuck()))
    expect(await stuck()).to.deep.equal({
      NamespaceDeletionDiscoveryFailure: ['False', 'ResourcesDiscovered', 'All resources successfully discovered'],
      NamespaceDeletionGroupVersionParsingFailure: ['False', 'ParsedGroupVersions', 'All legacy kube types successfully parsed'],
      NamespaceDeletionContentFailure: ['False', 'ContentDeleted', 'All content successfully deleted, may be waiting on finalization'],
      NamespaceContentRemaining: ['True', 'SomeResourcesRemain', 'Some resources are remaining: configmaps. has 1 resource instances'],
      NamespaceFinalizersRemaining: [
        'True',
        'SomeFinalizersRemain',
        'Some content in the namespace has finalizers remaining: example.io/x in 1 resource instances',
      ],
    })
    expect((await s.access.get(NAMESPACES, '', 'ns')).status.phase).to.equal('Terminating')
    expect(await s.names(CONFIG_MAPS)).to.deep.equal(['held'])
    await s.access.update(CONFIG_MAPS, 'ns', 'held', now => ({ ...now, metadata: { ...now.metadata, finalizers: [] } }))
    await eventually('it has gone', async () => (await s.names()).length === 0)
    await s.stop()
  })

  it('waits for pods that stop gracefully', async () => {
    const s = open()
    await s.namespace('ns')
    const spec = { nodeName: 'n1', containers: [{ name: 'c', image: 'i' }] }
    await s.access.create(PODS, 'ns', { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'p' }, spec })
    await s.access.delete(NAMESPACES, '', 'ns')
    await eventually('the pod is being deleted', async () => (await s.access.get(PODS, 'ns', 'p')).metadata.deletionGracePeriodSeconds === 30)
    await eventually('conditions', async () => 'NamespaceContentRemaining' in conditions(await s.access.get(NAMESPACES, '', 'ns')))
    expect(conditions(await s.access.get(NAMESPACES, '', 'ns')).NamespaceFinalizersRemaining).to.deep.equal([
      'False',
      'ContentHasNoFinalizers',
      'All content-preserving finalizers finished',
    ])
    await s.access.delete(PODS, 'ns', 'p', { gracePeriodSeconds: 0 })
    await eventually('it has gone', async () => (await s.names()).length === 0)
    await s.stop()
  })

  it('leaves a namespace to other finalizers than its own', async () => {
    const s = open()
    await s.access.create(NAMESPACES, '', { kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'ns' }, spec: { finalizers: ['example.io/mine'] } })
    await s.access.delete(NAMESPACES, '', 'ns')
    await eventually('its own is gone', async () => (await s.access.get(NAMESPACES, '', 'ns')).spec.finalizers.length === 1)
    expect((await s.access.get(NAMESPACES, '', 'ns')).spec.finalizers).to.deep.equal(['example.io/mine'])
    await s.stop()
  })
})
