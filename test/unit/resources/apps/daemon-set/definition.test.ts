import { expect } from 'chai'
import { daemonSetResource } from '../../../../../src/resources/apps/daemon-set/definition.ts'
import { causesOf, serverOf, workload } from '../../../../support/workloads.ts'

const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation'

describe('DaemonSet', () => {
  it('reports errors of an update twice, as upstream does', async () => {
    const { server, gr } = serverOf(daemonSetResource)
    await server.create(gr, 'default', workload('DaemonSet'))
    const change = server.update(gr, 'default', 'web', o => ({ ...o, spec: { ...o.spec, minReadySeconds: -1 } }))
    const cause = 'spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0'
    expect(await causesOf(change)).to.deep.equal([cause, cause])
  })

  it('defaults strategy and revision history limit', async () => {
    const { server, gr } = serverOf(daemonSetResource)
    const { spec } = await server.create(gr, 'default', workload('DaemonSet'))
    expect(spec).to.deep.include({
      revisionHistoryLimit: 10,
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
    })
  })

  it('counts template changes in an annotation that clients cannot reset', async () => {
    const { server, gr } = serverOf(daemonSetResource)
    const counters = ({ metadata }: { metadata: { generation?: number; annotations?: Record<string, string> } }) => [
      metadata.generation,
      metadata.annotations?.[TEMPLATE_GENERATION],
    ]
    expect(counters(await server.create(gr, 'default', workload('DaemonSet')))).to.deep.equal([1, '1'])
    const spec = (change: object) => server.update(gr, 'default', 'web', o => ({ ...o, spec: { ...o.spec, ...change } }))
    expect(counters(await spec({ minReadySeconds: 2 }))).to.deep.equal([2, '1'])
    const { template } = workload('DaemonSet').spec
    expect(counters(await spec({ template: { ...template, spec: { ...template.spec, terminationGracePeriodSeconds: 3 } } }))).to.deep.equal(
      [3, '2'],
    )
    const reset = await server.update(gr, 'default', 'web', o => ({
      ...o,
      metadata: { ...o.metadata, annotations: { [TEMPLATE_GENERATION]: '7' } },
    }))
    expect(counters(reset)).to.deep.equal([3, '2'])
  })

  const refused: [string, Record<string, unknown>, string[]][] = [
    [
      'no selector',
      { selector: undefined },
      ['spec.template.metadata.labels: Invalid value: map[string]string{"app":"web"}: `selector` does not match template `labels`'],
    ],
    [
      'surge with pods missing',
      { updateStrategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } } },
      [
        'spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: intstr.IntOrString{Type:0, IntVal:1, StrVal:""}: may not be set when maxUnavailable is non-zero',
      ],
    ],
    [
      'neither',
      { updateStrategy: { rollingUpdate: { maxUnavailable: 0 } } },
      ['spec.updateStrategy.rollingUpdate.maxUnavailable: Required value: cannot be 0 when maxSurge is 0'],
    ],
    [
      'an unknown strategy',
      { updateStrategy: { type: 'foo' } },
      [
        'spec.updateStrategy: Unsupported value: apps.DaemonSetUpdateStrategy{Type:"foo", RollingUpdate:(*apps.RollingUpdateDaemonSet)(nil)}: supported values: "RollingUpdate", "OnDelete"',
      ],
    ],
  ]
  for (const [what, spec, causes] of refused) {
    it(`refuses ${what}`, async () => {
      const { server, gr } = serverOf(daemonSetResource)
      expect(await causesOf(server.create(gr, 'default', workload('DaemonSet', spec)))).to.deep.equal(causes)
    })
  }

  it('prints its table row', async () => {
    const { server, gr } = serverOf(daemonSetResource)
    await server.create(gr, 'default', workload('DaemonSet'))
    const status = {
      currentNumberScheduled: 2,
      numberMisscheduled: 0,
      desiredNumberScheduled: 3,
      numberReady: 1,
      updatedNumberScheduled: 2,
      numberAvailable: 1,
    }
    await server.update(gr, 'default', 'web', o => ({ ...o, status }), { subresource: 'status' })
    expect(server.cells(gr, 'default', 'web')).to.deep.equal([
      'web',
      3,
      2,
      1,
      2,
      1,
      '<none>',
      '0s',
      'c',
      'registry.example/app:1',
      'app=web',
    ])
  })
})
