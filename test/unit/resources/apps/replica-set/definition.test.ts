import { expect } from 'chai'
import { replicaSetResource } from '../../../../../src/resources/apps/replica-set/definition.ts'
import { replicationControllerResource } from '../../../../../src/resources/core/replication-controller/definition.ts'
import { causesOf, serverOf, workload } from '../../../../support/workloads.ts'

describe('ReplicaSet', () => {
  it('reports errors of an update twice, as upstream does', async () => {
    const { server, gr } = serverOf(replicaSetResource)
    await server.create(gr, 'default', workload('ReplicaSet'))
    const change = server.update(gr, 'default', 'web', o => ({ ...o, spec: { ...o.spec, minReadySeconds: -1 } }))
    const cause = 'spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0'
    expect(await causesOf(change)).to.deep.equal([cause, cause])
  })

  it('defaults to one replica', async () => {
    const { server, gr } = serverOf(replicaSetResource)
    const { spec, status } = await server.create(gr, 'default', { ...workload('ReplicaSet'), status: { replicas: 9 } })
    expect(spec.replicas).to.equal(1)
    expect(spec).not.to.have.property('minReadySeconds')
    expect(status).to.deep.equal({ replicas: 0 })
  })

  const refused: [string, Record<string, unknown>, string[]][] = [
    ['a negative count', { replicas: -2 }, ['spec.replicas: Invalid value: -2: must be greater than or equal to 0']],
    [
      'pods that do not restart',
      { template: { metadata: { labels: { app: 'web' } }, spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } },
      ['spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"'],
    ],
    [
      'a deadline of its pods',
      { template: { metadata: { labels: { app: 'web' } }, spec: { activeDeadlineSeconds: 5, containers: [{ name: 'c', image: 'i' }] } } },
      ['spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ReplicaSet is not Supported'],
    ],
    [
      'a malformed selector',
      { selector: { matchExpressions: [{ key: 'app', operator: 'Like', values: ['web'] }] } },
      [
        'spec.selector.matchExpressions[0].operator: Invalid value: "Like": not a valid selector operator',
        'spec.selector: Invalid value: v1.LabelSelector{MatchLabels:map[string]string(nil), MatchExpressions:[]v1.LabelSelectorRequirement{v1.LabelSelectorRequirement{Key:"app", Operator:"Like", Values:[]string{"web"}}}}: invalid label selector',
      ],
    ],
  ]
  for (const [what, spec, causes] of refused) {
    it(`refuses ${what}`, async () => {
      const { server, gr } = serverOf(replicaSetResource)
      expect(await causesOf(server.create(gr, 'default', workload('ReplicaSet', spec)))).to.deep.equal(causes)
    })
  }

  it('cannot be selected by its status, unlike a ReplicationController', () => {
    expect(replicaSetResource.hub.selectableFields).to.equal(undefined)
    expect(replicationControllerResource.hub.selectableFields).to.have.keys('status.replicas')
  })

  it('prints its table row', async () => {
    const { server, gr } = serverOf(replicaSetResource)
    await server.create(gr, 'default', workload('ReplicaSet', { replicas: 3 }))
    await server.update(gr, 'default', 'web', o => ({ ...o, status: { replicas: 2, readyReplicas: 1 } }), { subresource: 'status' })
    expect(server.cells(gr, 'default', 'web')).to.deep.equal(['web', 3, 2, 1, '0s', 'c', 'registry.example/app:1', 'app=web'])
  })
})
