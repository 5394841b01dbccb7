import { expect } from 'chai'
import { parseGates } from '../../../../../src/lifecycle/gates.ts'
import { serviceCIDRResource } from '../../../../../src/resources/networking/service-cidr/definition.ts'
import type { AnyObject } from '../../../../support/any-object.ts'
import { causesOf, serverOf } from '../../../../support/workloads.ts'

const range = (...cidrs: string[]): AnyObject =>
  ({ apiVersion: 'networking.k8s.io/v1', kind: 'ServiceCIDR', metadata: { name: 'more' }, spec: { cidrs } }) as AnyObject

describe('ServiceCIDR', () => {
  const cases: [string[], string[]][] = [
    [['198.51.100.0/28'], []],
    [['198.51.100.0/28', '2001:db8::/64'], []],
    [[], ['spec.cidrs: Required value: at least one CIDR required']],
    [
      ['198.51.100.0/28', '203.0.113.0/28'],
      [
        'spec.cidrs: Invalid value: []string{"198.51.100.0/28", "203.0.113.0/28"}: may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64',
      ],
    ],
    [['198.51.100.0'], ['spec.cidrs[0]: Invalid value: "198.51.100.0": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)']],
    [['198.51.100.1/28'], ['spec.cidrs[0]: Invalid value: "198.51.100.1/28": must not have bits set beyond the prefix length']],
  ]
  for (const [cidrs, causes] of cases) {
    it(`validates ${cidrs.join(' and ') || 'an empty list'}`, async () => {
      const { server, gr } = serverOf(serviceCIDRResource)
      expect(await causesOf(server.create(gr, '', range(...cidrs)))).to.deep.equal(causes)
    })
  }

  const updates: readonly (readonly [before: string[], after: string[], causes: string[]])[] = [
    [['198.51.100.0/28'], ['203.0.113.0/28'], ['spec.cidrs[0]: Invalid value: "203.0.113.0/28": field is immutable']],
    [['198.51.100.0/28'], [], ['spec.cidrs: Invalid value: []string(nil): field is immutable']],
    [
      ['198.51.100.0/28'],
      ['198.51.100.0/28', 'x'],
      ['spec.cidrs[1]: Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'],
    ],
    [
      ['198.51.100.0/28', '2001:db8::/64'],
      ['198.51.100.0/28'],
      ['spec.cidrs: Invalid value: []string{"198.51.100.0/28"}: field is immutable'],
    ],
  ]
  for (const [before, after, causes] of updates) {
    it(`refuses to change ${before.join(' and ')} to ${after.join(' and ') || 'an empty list'}`, async () => {
      const { server, gr } = serverOf(serviceCIDRResource)
      await server.create(gr, '', range(...before))
      expect(await causesOf(server.update(gr, '', 'more', o => ({ ...o, spec: { cidrs: after } })))).to.deep.equal(causes)
    })
  }

  it('can become dual-stack', async () => {
    const { server, gr } = serverOf(serviceCIDRResource)
    await server.create(gr, '', range('198.51.100.0/28'))
    const { spec } = await server.update(gr, '', 'more', o => ({ ...o, spec: { cidrs: ['198.51.100.0/28', '2001:db8::/64'] } }))
    expect(spec.cidrs).to.deep.equal(['198.51.100.0/28', '2001:db8::/64'])
  })

  for (const [release, kept] of [
    ['1.33', true],
    ['1.36', false],
  ] as const)
    it(`${kept ? 'keeps' : 'ignores'} a status beside the spec in ${release}`, async () => {
      const { server, gr } = serverOf(serviceCIDRResource)
      server.features = parseGates(release)
      const status = {
        conditions: [{ type: 'Ready', status: 'True', reason: '', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' }],
      }
      const created = await server.create(gr, '', { ...range('198.51.100.0/28'), status })
      expect(created.status?.conditions !== undefined).to.equal(kept)
      const { status: updated } = await server.update(gr, '', 'more', o => ({ ...o, status: {} }))
      expect(updated).to.deep.equal({})
    })

  it('prints its CIDRs', async () => {
    const { server, gr } = serverOf(serviceCIDRResource)
    await server.create(gr, '', range('198.51.100.0/28', '2001:db8::/64'))
    expect(server.cells(gr, '', 'more')).to.deep.equal(['more', '198.51.100.0/28,2001:db8::/64', '0s'])
  })
})
