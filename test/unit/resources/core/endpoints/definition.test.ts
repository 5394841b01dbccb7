import { expect } from 'chai'
import type { KubeObject } from '../../../../../src/api/meta/object.ts'
import { endpointsResource } from '../../../../../src/resources/core/endpoints/definition.ts'
import { causesOf, serverOf } from '../../../../support/workloads.ts'

const endpoints = (...subsets: object[]): KubeObject =>
  ({ apiVersion: 'v1', kind: 'Endpoints', metadata: { name: 'e' }, subsets }) as KubeObject
const at = (...ips: string[]) => ips.map(ip => ({ ip }))

describe('Endpoints', () => {
  const refused: [string, object, string[]][] = [
    ['no addresses', { ports: [{ port: 80 }] }, ['subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`']],
    [
      'no address at all',
      { addresses: at('web') },
      [
        'subsets[0].addresses[0].ip: Invalid value: "web": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
        'subsets[0].addresses[0].ip: Invalid value: "web": must be a valid IP address',
      ],
    ],
    [
      'loopback',
      { addresses: at('127.0.0.1') },
      ['subsets[0].addresses[0].ip: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)'],
    ],
    [
      'a link-local address',
      { notReadyAddresses: at('fe80::1') },
      ['subsets[0].notReadyAddresses[0].ip: Invalid value: "fe80::1": may not be in the link-local range (169.254.0.0/16, fe80::/10)'],
    ],
    [
      'two ports without names',
      { addresses: at('10.0.0.1'), ports: [{ port: 80 }, { name: 'b', port: 81 }] },
      ['subsets[0].ports[0].name: Required value'],
    ],
    [
      'an unknown protocol',
      { addresses: at('10.0.0.1'), ports: [{ port: 80, protocol: 'ICMP' }] },
      ['subsets[0].ports[0].protocol: Unsupported value: "ICMP": supported values: "SCTP", "TCP", "UDP"'],
    ],
  ]
  for (const [what, subset, causes] of refused) {
    it(`refuses ${what}`, async () => {
      const { server, gr } = serverOf(endpointsResource)
      expect(await causesOf(server.create(gr, 'default', endpoints(subset)))).to.deep.equal(causes)
    })
  }

  const cells: [string, object[], string][] = [
    ['nothing', [], '<none>'],
    ['addresses without ports', [{ addresses: at('10.0.0.1', '10.0.0.2') }], '10.0.0.1,10.0.0.2'],
    [
      'each port of each',
      [
        {
          addresses: at('10.0.0.1'),
          ports: [
            { name: 'a', port: 80 },
            { name: 'b', port: 81 },
          ],
        },
      ],
      '10.0.0.1:80,10.0.0.1:81',
    ],
    [
      'three, and how many more',
      [{ addresses: at('10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.4', '10.0.0.5'), ports: [{ port: 80 }] }],
      '10.0.0.1:80,10.0.0.2:80,10.0.0.3:80 + 2 more...',
    ],
    ['IPv6 in brackets', [{ addresses: at('2001:db8::1'), ports: [{ port: 80 }] }], '[2001:db8::1]:80'],
  ]
  for (const [what, subsets, cell] of cells) {
    it(`prints ${what}`, async () => {
      const { server, gr } = serverOf(endpointsResource)
      await server.create(gr, 'default', endpoints(...subsets))
      expect(server.cells(gr, 'default', 'e')).to.deep.equal(['e', cell, '0s'])
    })
  }

  it('can be created by PUT', () => {
    expect(endpointsResource.strategy?.allowCreateOnUpdate).to.equal(true)
  })

  it('warns of non-canonical addresses', async () => {
    const { server, gr } = serverOf(endpointsResource)
    await server.create(gr, 'default', endpoints({ addresses: at('010.0.0.1') }))
    expect(server.warnings).to.deep.equal([
      'subsets[0].addresses[0].ip: non-standard IP address "010.0.0.1" will be considered invalid in a future Kubernetes release: use "10.0.0.1"',
    ])
  })
})
