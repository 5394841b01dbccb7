import { expect } from 'chai'
import type { KubeObject } from '../../../../../src/api/meta/object.ts'
import { leaseResource } from '../../../../../src/resources/coordination/lease/definition.ts'
import { featuresOf } from '../../../../support/hook-context.ts'
import { causesOf, serverOf } from '../../../../support/workloads.ts'

const lease = (spec: object): KubeObject =>
  ({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'l' }, spec }) as KubeObject

describe('Lease', () => {
  const cases: [string, object, string[]][] = [
    ['nothing', {}, []],
    [
      'negative numbers',
      { leaseDurationSeconds: 0, leaseTransitions: -1 },
      [
        'spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0',
        'spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0',
      ],
    ],
  ]
  for (const [what, spec, causes] of cases) {
    it(`checks ${what}`, async () => {
      const { server, gr } = serverOf(leaseResource)
      expect(await causesOf(server.create(gr, 'default', lease(spec)))).to.deep.equal(causes)
    })
  }

  it('has no coordinated election unless its gate is on', async () => {
    const { server, gr } = serverOf(leaseResource)
    const { spec } = await server.create(
      gr,
      'default',
      lease({ holderIdentity: 'me', strategy: 'OldestEmulationVersion', preferredHolder: 'you' }),
    )
    expect(spec).to.deep.equal({ holderIdentity: 'me' })
    server.features = featuresOf('CoordinatedLeaderElection=true')
    const { spec: gated } = await server.create(gr, 'other', lease({ strategy: 'OldestEmulationVersion', preferredHolder: 'you' }))
    expect(gated).to.deep.equal({ strategy: 'OldestEmulationVersion', preferredHolder: 'you' })
  })

  it('is created by PUT, and never overwritten blindly', () => {
    expect(leaseResource.strategy).to.include({ allowCreateOnUpdate: true, allowUnconditionalUpdate: false })
  })

  it('prints its holder', async () => {
    const { server, gr } = serverOf(leaseResource)
    await server.create(gr, 'default', lease({ holderIdentity: 'me' }))
    expect(server.cells(gr, 'default', 'l')).to.deep.equal(['l', 'me', '0s'])
  })
})
