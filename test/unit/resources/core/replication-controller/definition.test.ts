import { expect } from 'chai'
import { replicationControllerResource } from '../../../../../src/resources/core/replication-controller/definition.ts'
import type { AnyObject } from '../../../../support/any-object.ts'
import { featuresIn } from '../../../../support/hook-context.ts'
import { KindCases } from '../../../../support/kind-cases.ts'
import { causesOf, serverOf } from '../../../../support/workloads.ts'

const template = { metadata: { labels: { b: '2', a: '1' } }, spec: { containers: [{ name: 'c', image: 'registry.example/app:1' }] } }
const controller = (spec: object = {}): AnyObject =>
  ({ apiVersion: 'v1', kind: 'ReplicationController', metadata: { name: 'rc' }, spec: { template, ...spec } }) as AnyObject

describe('ReplicationController', () => {
  it('defaults labels and selector from its template', async () => {
    const { server, gr } = serverOf(replicationControllerResource)
    const { metadata, spec } = await server.create(gr, 'default', controller())
    expect(metadata.labels).to.deep.equal({ a: '1', b: '2' })
    expect(spec).to.deep.include({ replicas: 1, selector: { a: '1', b: '2' } })
    expect(spec).not.to.have.property('minReadySeconds')
  })

  for (const release of ['1.24', '1.32', '1.33', '1.36'] as const)
    it(`defaults to one replica in ${release}`, async () => {
      const cases = new KindCases(replicationControllerResource, featuresIn(release))
      expect((await cases.create({ spec: { template } })).spec.replicas).to.equal(1)
      expect((await cases.create({ spec: { template, replicas: 0 } }, { name: 'none' })).spec.replicas).to.equal(0)
    })

  it('reports errors of an update twice, as upstream does', async () => {
    const { server, gr } = serverOf(replicationControllerResource)
    await server.create(gr, 'default', controller())
    const cause = 'spec.replicas: Invalid value: -1: must be greater than or equal to 0'
    const change = server.update(gr, 'default', 'rc', o => ({ ...o, spec: { ...o.spec, replicas: -1 } }))
    expect(await causesOf(change)).to.deep.equal([cause, cause])
  })

  const refused: [string, object, string[]][] = [
    ['no template', { template: undefined, selector: { a: '1' } }, ['spec.template: Required value']],
    ['neither selector nor labels', { template: { spec: template.spec } }, ['spec.selector: Required value']],
    [
      'a selector of other labels',
      { selector: { c: '3' } },
      ['spec.template.metadata.labels: Invalid value: map[string]string{"a":"1", "b":"2"}: `selector` does not match template `labels`'],
    ],
    [
      'pods that end',
      { template: { ...template, spec: { ...template.spec, restartPolicy: 'Never', activeDeadlineSeconds: 1 } } },
      [
        'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
        'spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ReplicationController is not Supported',
      ],
    ],
    ['a negative count', { replicas: -1 }, ['spec.replicas: Invalid value: -1: must be greater than or equal to 0']],
  ]
  for (const [what, spec, causes] of refused) {
    it(`refuses ${what}`, async () => {
      const { server, gr } = serverOf(replicationControllerResource)
      expect(await causesOf(server.create(gr, 'default', controller(spec)))).to.deep.equal(causes)
    })
  }

  it('has its selector in its scale', async () => {
    const { server, gr } = serverOf(replicationControllerResource)
    const object = await server.create(gr, 'default', controller({ replicas: 0 }))
    const scale = replicationControllerResource.hub.subresources?.scale?.view?.get(object)
    expect(scale).to.deep.include({ kind: 'Scale', apiVersion: 'autoscaling/v1', spec: {}, status: { replicas: 0, selector: 'a=1,b=2' } })
    expect(scale?.metadata).to.have.all.keys('name', 'namespace', 'uid', 'resourceVersion', 'creationTimestamp')
  })

  it('prints its table row', async () => {
    const { server, gr } = serverOf(replicationControllerResource)
    await server.create(gr, 'default', controller())
    expect(server.cells(gr, 'default', 'rc')).to.deep.equal(['rc', 1, 0, 0, '0s', 'c', 'registry.example/app:1', 'a=1,b=2'])
  })
})
