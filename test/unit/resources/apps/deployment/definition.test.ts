import { expect } from 'chai'
import { deploymentResource } from '../../../../../src/resources/apps/deployment/definition.ts'
import { causesOf, serverOf, workload } from '../../../../support/workloads.ts'

describe('Deployment', () => {
  it('defaults replicas, strategy, revision history limit and progress deadline', async () => {
    const { server, gr } = serverOf(deploymentResource)
    const { spec, metadata, status } = await server.create(gr, 'default', workload('Deployment'))
    expect(spec).to.deep.include({
      replicas: 1,
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } },
    })
    expect(metadata.generation).to.equal(1)
    expect(status).to.deep.equal({})
  })

  const refused: [string, Record<string, unknown>, string[]][] = [
    [
      'no selector',
      { selector: undefined },
      [
        'spec.selector: Required value',
        'spec.template.metadata.labels: Invalid value: map[string]string{"app":"web"}: `selector` does not match template `labels`',
      ],
    ],
    [
      'an empty selector',
      { selector: {} },
      [
        'spec.selector: Invalid value: v1.LabelSelector{MatchLabels:map[string]string(nil), MatchExpressions:[]v1.LabelSelectorRequirement(nil)}: empty selector is invalid for deployment',
      ],
    ],
    [
      'a selector of other labels',
      { selector: { matchLabels: { app: 'db' } } },
      ['spec.template.metadata.labels: Invalid value: map[string]string{"app":"web"}: `selector` does not match template `labels`'],
    ],
    ['a negative count', { replicas: -1 }, ['spec.replicas: Invalid value: -1: must be greater than or equal to 0']],
    [
      'an unknown strategy',
      { strategy: { type: 'Sideways' } },
      [
        'spec.strategy: Unsupported value: apps.DeploymentStrategy{Type:"Sideways", RollingUpdate:(*apps.RollingUpdateDeployment)(nil)}: supported values: "Recreate", "RollingUpdate"',
      ],
    ],
    [
      'rolling settings with Recreate',
      { strategy: { type: 'Recreate', rollingUpdate: {} } },
      ["spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'"],
    ],
    [
      'nothing that may move',
      { strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: '0%' } } },
      [
        'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: intstr.IntOrString{Type:1, IntVal:0, StrVal:"0%"}: may not be 0 when `maxSurge` is 0',
      ],
    ],
    [
      'more than all',
      { strategy: { rollingUpdate: { maxUnavailable: '110%' } } },
      [
        'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: intstr.IntOrString{Type:1, IntVal:0, StrVal:"110%"}: must not be greater than 100%',
      ],
    ],
    [
      'a deadline within the ready time',
      { minReadySeconds: 10, progressDeadlineSeconds: 10 },
      ['spec.progressDeadlineSeconds: Invalid value: 10: must be greater than minReadySeconds'],
    ],
  ]
  for (const [what, spec, causes] of refused) {
    it(`refuses ${what}`, async () => {
      const { server, gr } = serverOf(deploymentResource)
      expect(await causesOf(server.create(gr, 'default', workload('Deployment', spec)))).to.deep.equal(causes)
    })
  }

  it('increments the generation for a changed spec or annotation, not for labels or status', async () => {
    const { server, gr } = serverOf(deploymentResource)
    await server.create(gr, 'default', workload('Deployment'))
    const generation = async (change: Parameters<typeof server.update>[3], subresource = '') =>
      (await server.update(gr, 'default', 'web', change, { subresource })).metadata.generation
    expect(await generation(o => ({ ...o, metadata: { ...o.metadata, labels: { a: 'b' } } }))).to.equal(1)
    expect(await generation(o => ({ ...o, metadata: { ...o.metadata, annotations: { a: 'b' } } }))).to.equal(2)
    expect(await generation(o => ({ ...o, spec: { ...o.spec, replicas: 3 } }))).to.equal(3)
    expect(await generation(o => ({ ...o, status: { replicas: 3 }, spec: { ...o.spec, replicas: 7 } }), 'status')).to.equal(3)
    const stored = await server.get(gr, 'default', 'web')
    expect([stored.spec.replicas, stored.status.replicas]).to.deep.equal([3, 3])
  })

  it('does not allow changing its selector', async () => {
    const { server, gr } = serverOf(deploymentResource)
    await server.create(gr, 'default', workload('Deployment'))
    const other = { matchLabels: { app: 'db' } }
    const change = server.update(gr, 'default', 'web', o => ({
      ...o,
      spec: { ...o.spec, selector: other, template: { ...o.spec.template, metadata: { labels: other.matchLabels } } },
    }))
    expect(await causesOf(change)).to.deep.equal([
      'spec.selector: Invalid value: v1.LabelSelector{MatchLabels:map[string]string{"app":"db"}, MatchExpressions:[]v1.LabelSelectorRequirement(nil)}: field is immutable',
    ])
  })

  it('validates the counts of its status', async () => {
    const { server, gr } = serverOf(deploymentResource)
    await server.create(gr, 'default', workload('Deployment'))
    const put = (status: object) => causesOf(server.update(gr, 'default', 'web', o => ({ ...o, status }), { subresource: 'status' }))
    expect(await put({ replicas: 1, readyReplicas: 2 })).to.deep.equal([
      'status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas',
    ])
    expect(await put({ replicas: 3, readyReplicas: 1, availableReplicas: 2 })).to.deep.equal([
      'status.availableReplicas: Invalid value: 2: cannot be greater than readyReplicas',
    ])
    expect(await put({ collisionCount: 2 })).to.deep.equal([])
    expect(await put({})).to.deep.equal(['status.collisionCount: Invalid value: 0: cannot be decremented'])
  })

  it('is scaled through its scale subresource', async () => {
    const { server, gr } = serverOf(deploymentResource)
    await server.create(gr, 'default', workload('Deployment'))
    const scaled = await server.update(gr, 'default', 'web', o => ({ ...o, spec: { replicas: 5 } }), { subresource: 'scale' })
    expect([scaled.spec.replicas, scaled.metadata.generation]).to.deep.equal([5, 2])
    const below = server.update(gr, 'default', 'web', o => ({ ...o, spec: { replicas: -1 } }), { subresource: 'scale' })
    expect(await causesOf(below)).to.deep.equal(['spec.replicas: Invalid value: -1: must be greater than or equal to 0'])
  })

  it('prints its table row', async () => {
    const { server, gr } = serverOf(deploymentResource)
    await server.create(gr, 'default', workload('Deployment', { replicas: 3 }))
    await server.update(
      gr,
      'default',
      'web',
      o => ({ ...o, status: { replicas: 3, readyReplicas: 2, updatedReplicas: 3, availableReplicas: 1 } }),
      {
        subresource: 'status',
      },
    )
    server.now += 90_000
    expect(server.cells(gr, 'default', 'web')).to.deep.equal(['web', '2/3', 3, 1, '90s', 'c', 'registry.example/app:1', 'app=web'])
  })

  it('warns about a name that is not a DNS label', async () => {
    const { server, gr } = serverOf(deploymentResource)
    await server.create(gr, 'default', workload('Deployment', {}, { name: 'a.b' }))
    expect(server.warnings[0]).to.match(
      /^metadata\.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: \[/,
    )
  })
})
