import { expect } from 'chai'
import type { AdmissionPlugin } from '../../../../src/admission/chain.ts'
import { namespaceLifecycle } from '../../../../src/admission/plugins/namespace-lifecycle.ts'
import type { KubeObject } from '../../../../src/api/meta/object.ts'
import type { ServedResource } from '../../../../src/catalog/catalog.ts'
import type { Release } from '../../../../src/lifecycle/release.ts'
import { internalServerError, notFoundError } from '../../../../src/meta/status.ts'
import type { AdmissionRequest, Operation } from '../../../../src/registry/types.ts'
import { namespaceResource } from '../../../../src/resources/core/namespace/definition.ts'
import { refusal, refusalText, TestRegistry, widgetResource } from '../../../support/test-registry.ts'

const t = new TestRegistry()
const served = (definition: ServedResource['definition']): ServedResource => ({ definition, version: definition.hub })
const widgets = served(widgetResource())
const clusterWidgets = served(widgetResource({ cluster: true }))
const namespaces = served(namespaceResource)
const reviews = served(
  widgetResource({
    version: { group: 'authorization.k8s.io', names: { plural: 'localsubjectaccessreviews', singular: 'localsubjectaccessreview' } },
  }),
)

const namespace = (more: object = {}): KubeObject => ({
  kind: 'Namespace',
  apiVersion: 'v1',
  metadata: { name: 'ns' },
  status: { phase: 'Active' },
  ...more,
})
const terminating = namespace({ status: { phase: 'Terminating' } })
const deleted = namespace({ metadata: { name: 'ns', deletionTimestamp: '2026-01-01T00:00:00Z' } })

/** Converts synchronous errors to rejections. */
const asking = async (plugin: AdmissionPlugin, asked: AdmissionRequest): Promise<unknown> => plugin.mutate?.(asked)

/** `cached` and `stored` are the results of both ways to read a namespace. */
function lifecycle(cached: KubeObject | undefined, stored: KubeObject | undefined = cached) {
  const asked: string[] = []
  const plugin = namespaceLifecycle(async (name, fresh) => {
    asked.push(`${name}${fresh ? ' fresh' : ''}`)
    const found = fresh ? stored : cached
    if (found) return found
    throw notFoundError({ group: '', resource: 'namespaces' }, name)
  })
  return { plugin, asked }
}

const request = (operation: Operation, of: ServedResource, more: Partial<AdmissionRequest> = {}): AdmissionRequest => ({
  ...t.target('a'),
  served: of,
  operation,
  ...(operation === 'CREATE' && { object: t.widget({ name: 'a' }) }),
  ...more,
})

describe('NamespaceLifecycle', () => {
  it('lets updates in a missing namespace through since 1.37', async () => {
    const none = async (): Promise<never> => Promise.reject(notFoundError({ group: '', resource: 'namespaces' }, 'ns'))
    const update = (release: Release): Promise<unknown> => asking(namespaceLifecycle(none, release), request('UPDATE', widgets))
    expect(await refusalText(update('1.36'))).to.equal('404 NotFound: namespaces "ns" not found')
    expect(await update('1.37')).to.equal(undefined)
  })

  const TERMINATING =
    '403 Forbidden: widgets.example.io "a" is forbidden: unable to create new content in namespace ns because it is being terminated'
  const creations: [string, ServedResource, KubeObject | undefined, KubeObject | undefined, asked: string[], told: string][] = [
    ['in a namespace', widgets, namespace(), undefined, ['ns'], ''],
    ['in a namespace that the cache lacks', widgets, undefined, namespace(), ['ns', 'ns fresh'], ''],
    ['in a missing namespace', widgets, undefined, undefined, ['ns', 'ns fresh'], '404 NotFound: namespaces "ns" not found'],
    ['in a terminating namespace', widgets, terminating, undefined, ['ns'], TERMINATING],
    ['in a namespace with a deletion timestamp', widgets, deleted, undefined, ['ns'], TERMINATING],
    ['in a namespace with a deletion timestamp, which the cache lacks', widgets, undefined, deleted, ['ns', 'ns fresh'], TERMINATING],
    ['of a cluster-scoped object', clusterWidgets, undefined, undefined, [], ''],
    ['of a Namespace', namespaces, undefined, undefined, [], ''],
    ['of an access review', reviews, undefined, undefined, [], ''],
  ]
  for (const [what, of, cached, stored, wanted, told] of creations)
    it(`create ${what}`, async () => {
      const { plugin, asked } = lifecycle(cached, stored)
      const create = request('CREATE', of)
      expect(plugin.handles(create)).to.equal(true)
      const result = asking(plugin, create)
      if (told === '') expect(await result).to.equal(undefined)
      else expect(await refusalText(result)).to.equal(told)
      expect(asked).to.deep.equal(wanted)
    })

  it('names the cause when it rejects a create', async () => {
    const { plugin } = lifecycle(terminating)
    const { status } = await refusal(asking(plugin, request('CREATE', widgets)))
    expect(status.details).to.deep.equal({
      name: 'a',
      group: 'example.io',
      kind: 'widgets',
      causes: [{ reason: 'NamespaceTerminating', message: 'namespace ns is being terminated', field: 'metadata.namespace' }],
    })
  })

  for (const name of ['default', 'kube-system', 'kube-public', 'kube-node-lease', 'mine'])
    it(`delete of the namespace ${name}`, async () => {
      const { plugin } = lifecycle(namespace())
      const result = asking(plugin, request('DELETE', namespaces, { name }))
      if (name === 'mine' || name === 'kube-node-lease') await result
      else expect(await refusalText(result)).to.equal(`403 Forbidden: namespaces "${name}" is forbidden: this namespace may not be deleted`)
    })

  it('allows deleting other objects with those names', async () => {
    const { plugin, asked } = lifecycle(terminating)
    await plugin.mutate!(request('DELETE', widgets, { name: 'default' }))
    expect(plugin.handles(request('CONNECT', widgets))).to.equal(false)
    expect(asked).to.deep.equal([])
  })

  // Content that remains after a namespace is force-deleted. Cases: k8s.io/apiserver,
  // pkg/admission/plugin/namespace/lifecycle/admission_test.go.
  for (const [what, of, cached, told] of [
    ['in a namespace', widgets, namespace(), ''],
    ['in a terminating namespace', widgets, terminating, ''],
    ['in a missing namespace', widgets, undefined, '404 NotFound: namespaces "ns" not found'],
    ['of a cluster-scoped object', clusterWidgets, undefined, ''],
    ['of a Namespace', namespaces, undefined, ''],
  ] as const)
    it(`update ${what}`, async () => {
      const { plugin } = lifecycle(cached)
      const update = request('UPDATE', of, { object: t.widget({ name: 'a' }) })
      expect(plugin.handles(update)).to.equal(true)
      if (told === '') expect(await asking(plugin, update)).to.equal(undefined)
      else expect(await refusalText(asking(plugin, update))).to.equal(told)
    })

  it('propagates errors of the store', async () => {
    const plugin = namespaceLifecycle(async () => Promise.reject(internalServerError('down')))
    expect(await refusalText(asking(plugin, request('CREATE', widgets)))).to.match(/^500 InternalError/)
  })
})
