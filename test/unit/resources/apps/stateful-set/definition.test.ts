import { expect } from 'chai'
import { statefulSetResource } from '../../../../../src/resources/apps/stateful-set/definition.ts'
import { featuresIn } from '../../../../support/hook-context.ts'
import { KindCases } from '../../../../support/kind-cases.ts'
import { causesOf, serverOf, workload } from '../../../../support/workloads.ts'

const TEMPLATE = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'registry.example/app:1' }] } }

describe('StatefulSet', () => {
  it('defaults policies, partition and claim retention', async () => {
    const { server, gr } = serverOf(statefulSetResource)
    const { spec, status } = await server.create(gr, 'default', workload('StatefulSet'))
    expect(spec).to.deep.include({
      replicas: 1,
      revisionHistoryLimit: 10,
      podManagementPolicy: 'OrderedReady',
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
    })
    expect(status).to.deep.equal({ replicas: 0, availableReplicas: 0 })
  })

  it('sets the kind, volume mode and phase of its claim templates', async () => {
    const { server, gr } = serverOf(statefulSetResource)
    const claims = [{ metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } }]
    const { spec } = await server.create(gr, 'default', workload('StatefulSet', { volumeClaimTemplates: claims }))
    expect(spec.volumeClaimTemplates[0]).to.deep.include({ kind: 'PersistentVolumeClaim', apiVersion: 'v1', status: { phase: 'Pending' } })
    expect(spec.volumeClaimTemplates[0].spec.volumeMode).to.equal('Filesystem')
  })

  it('drops maxUnavailable, which is alpha', async () => {
    const { server, gr } = serverOf(statefulSetResource)
    const { spec } = await server.create(
      gr,
      'default',
      workload('StatefulSet', { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 2 } } }),
    )
    expect(spec.updateStrategy.rollingUpdate).to.deep.equal({ partition: 0 })
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
      'an unknown management',
      { podManagementPolicy: 'foo' },
      ["spec.podManagementPolicy: Invalid value: \"foo\": must be 'OrderedReady' or 'Parallel'"],
    ],
    [
      'an unknown strategy',
      { updateStrategy: { type: 'foo' } },
      [
        "spec.updateStrategy: Invalid value: apps.StatefulSetUpdateStrategy{Type:\"foo\", RollingUpdate:(*apps.RollingUpdateStatefulSetStrategy)(nil)}: must be 'RollingUpdate' or 'OnDelete'",
      ],
    ],
    [
      'rolling settings with OnDelete',
      { updateStrategy: { type: 'OnDelete', rollingUpdate: { partition: 1 } } },
      [
        "spec.updateStrategy.rollingUpdate: Invalid value: apps.RollingUpdateStatefulSetStrategy{Partition:1, MaxUnavailable:(*intstr.IntOrString)(nil)}: only allowed for updateStrategy 'RollingUpdate'",
      ],
    ],
    [
      'a bad name of its service',
      { serviceName: 'Invalid.Name' },
      [
        `spec.serviceName: Invalid value: "Invalid.Name": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`,
      ],
    ],
    [
      'a first ordinal below zero',
      { ordinals: { start: -2 } },
      ['spec.ordinals.start: Invalid value: -2: must be greater than or equal to 0'],
    ],
    [
      'an unknown retention',
      { persistentVolumeClaimRetentionPolicy: { whenScaled: 'Maybe' } },
      ['spec.persistentVolumeClaimRetentionPolicy.whenScaled: Unsupported value: "Maybe": supported values: "Retain", "Delete"'],
    ],
  ]
  for (const [what, spec, causes] of refused) {
    it(`refuses ${what}`, async () => {
      const { server, gr } = serverOf(statefulSetResource)
      expect(await causesOf(server.create(gr, 'default', workload('StatefulSet', spec)))).to.deep.equal(causes)
    })
  }

  it('allows changes to some fields of its spec only', async () => {
    const { server, gr } = serverOf(statefulSetResource)
    await server.create(gr, 'default', workload('StatefulSet', { serviceName: 'a' }))
    const change = (spec: object) => causesOf(server.update(gr, 'default', 'web', o => ({ ...o, spec: { ...o.spec, ...spec } })))
    expect(await change({ replicas: 3, minReadySeconds: 5, ordinals: { start: 1 } })).to.deep.equal([])
    expect(await change({ serviceName: 'b' })).to.deep.equal([
      "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
    ])
  })

  it('requires a DNS label as its name', async () => {
    const { server, gr } = serverOf(statefulSetResource)
    expect(await causesOf(server.create(gr, 'default', workload('StatefulSet', {}, { name: 'a.b' })))).to.have.lengthOf(1)
  })

  it('prints its table row', async () => {
    const { server, gr } = serverOf(statefulSetResource)
    await server.create(gr, 'default', workload('StatefulSet', { replicas: 3 }))
    expect(server.cells(gr, 'default', 'web')).to.deep.equal(['web', '0/3', '0s', 'c', 'registry.example/app:1'])
  })

  it('may recreate its pods in 1.37 if the gate is on', async () => {
    const body = { spec: { updateStrategy: { type: 'Recreate' }, selector: { matchLabels: { a: 'b' } }, template: TEMPLATE } }
    const causes = (gates: Record<string, boolean>, spec: object = {}) =>
      causesOf(new KindCases(statefulSetResource, featuresIn('1.37', gates)).create({ spec: { ...body.spec, ...spec } }))
    expect(await causes({})).to.deep.equal([
      `spec.updateStrategy: Invalid value: apps.StatefulSetUpdateStrategy{Type:"Recreate", RollingUpdate:(*apps.RollingUpdateStatefulSetStrategy)(nil)}: must be 'RollingUpdate' or 'OnDelete'`,
    ])
    expect(await causes({ StatefulSetRecreateStrategy: true })).to.deep.equal([])
    expect(await causes({ StatefulSetRecreateStrategy: true }, { updateStrategy: { type: 'Recreate', rollingUpdate: {} } })).to.have.length(
      1,
    )
  })
})
