import { expect } from 'chai'
import { endpointSliceResource } from '../../../../../src/resources/discovery/endpoint-slice/definition.ts'
import type { AnyObject } from '../../../../support/any-object.ts'
import { KindCases, validates } from '../../../../support/kind-cases.ts'
import { causesOf as messagesOf } from '../../../../support/workloads.ts'

const of = (addressType: string, ...addresses: string[]): object => ({ addressType, endpoints: [{ addresses }] })
const endpoint = (members: object): object => ({ addressType: 'IPv4', endpoints: [{ addresses: ['10.1.2.3'], ...members }] })
const ports = (...all: object[]): object => ({ addressType: 'IPv4', endpoints: [], ports: all })
const named = (count: number): object[] => Array.from({ length: count }, (_, i) => ({ name: `n${i}` }))

describe('EndpointSlice', () => {
  validates(
    endpointSliceResource,
    {
      'IPv4 addresses': [of('IPv4', '10.1.2.3', '10.1.2.4'), []],
      'IPv6 addresses': [of('IPv6', '2001:db8::1'), []],
      'domain names': [of('FQDN', 'foo.example.com', 'bar.example.com.'), []],
      'no type': [of('', '10.1.2.3'), ['Required addressType']],
      'another type': [of('IP', 'nonsense'), ['NotSupported addressType']],
      'no address': [of('IPv4'), ['Required endpoints[0].addresses']],
      'too many addresses': [of('IPv4', ...Array.from({ length: 101 }, (_, i) => `10.1.2.${i}`)), ['TooMany endpoints[0].addresses']],
      'no addresses at all': [of('IPv4', 'x'), ['Invalid endpoints[0].addresses[0]']],
      'an address of IPv6 with leading zeros': [of('IPv6', '2001:db8:0:0::1'), ['Invalid endpoints[0].addresses[0]']],
      'addresses of the other family': [of('IPv4', '2001:db8::1'), ['Invalid endpoints[0].addresses[0]']],
      'loopback addresses': [of('IPv4', '127.0.0.1'), ['Invalid endpoints[0].addresses[0]']],
      'a name of one label': [of('FQDN', 'foo'), ['Invalid endpoints[0].addresses[0]']],
      'an empty name': [of('FQDN', ''), ['Required endpoints[0].addresses[0]']],
      'too many endpoints': [
        { addressType: 'IPv4', endpoints: Array.from({ length: 1001 }, () => ({ addresses: ['10.1.2.3'] })) },
        ['TooMany endpoints'],
      ],
      'a node': [endpoint({ nodeName: 'node-1', zone: 'a', conditions: { ready: true } }), []],
      'a bad node': [endpoint({ nodeName: 'Node' }), ['Invalid endpoints[0].nodeName']],
      'a bad host name': [endpoint({ hostname: '--X' }), ['Invalid endpoints[0].hostname']],
      hints: [endpoint({ hints: { forZones: named(8) } }), []],
      'too many hints': [endpoint({ hints: { forZones: named(9) } }), ['TooMany endpoints[0].hints.forZones']],
      'a hint twice': [
        endpoint({ hints: { forZones: [{ name: 'a' }, { name: 'a' }] } }),
        ['Duplicate endpoints[0].hints.forZones[1].name'],
      ],
      'a bad hint': [endpoint({ hints: { forZones: [{ name: 'a b' }] } }), ['Invalid endpoints[0].hints.forZones[0].name']],
      'ports with names': [ports({ port: 80 }, { name: 'https', port: 443, appProtocol: 'kubernetes.io/h2c' }), []],
      'a port name twice': [ports({ name: 'a', port: 80 }, { name: 'a', port: 81 }), ['Duplicate ports[1].name']],
      'a bad port name': [ports({ name: 'A_' }), ['Invalid ports[0].name']],
      'another protocol': [ports({ protocol: 'ICMP' }), ['NotSupported ports[0].protocol']],
      'a bad application protocol': [ports({ appProtocol: 'a b' }), ['Invalid ports[0].appProtocol']],
    },
    { 'the type': [of('IPv4', '10.1.2.3'), of('IPv6', '2001:db8::1'), ['Invalid addressType']] },
  )

  const texts: [object, string][] = [
    [of('IPv6', '10.1.2.3'), 'endpoints[0].addresses[0]: Invalid value: "10.1.2.3": must be an IPv6 address'],
    [of('FQDN', 'foo'), 'endpoints[0].addresses[0]: Invalid value: "foo": should be a domain with at least two segments separated by dots'],
    [of('other'), 'addressType: Unsupported value: "other": supported values: "FQDN", "IPv4", "IPv6"'],
  ]
  for (const [body, text] of texts)
    it(`reports ${text}`, async () => expect(await messagesOf(new KindCases(endpointSliceResource).create(body))).to.include(text))

  it('increments the generation on every change except to annotations', async () => {
    const cases = new KindCases(endpointSliceResource)
    const generations = [
      await cases.create(of('IPv4', '10.1.2.3')),
      await cases.update(of('IPv4', '10.1.2.3'), { annotations: { a: 'b' } }),
      await cases.update(of('IPv4', '10.1.2.3'), { labels: { a: 'b' } }),
      await cases.update(of('IPv4', '10.1.2.4')),
      await cases.update({ ...of('IPv4', '10.1.2.4'), ports: [{ port: 1 }] }),
    ].map(({ metadata }) => metadata.generation)
    expect(generations).to.deep.equal([1, 1, 2, 3, 4])
  })

  it('defaults the name and protocol of ports', async () => {
    const made = await new KindCases(endpointSliceResource).create(ports({ port: 80 }))
    expect(made.ports).to.deep.equal([{ name: '', protocol: 'TCP', port: 80 }])
  })

  it('drops deprecated topology and node hints', async () => {
    const made = await new KindCases(endpointSliceResource).create(
      endpoint({ deprecatedTopology: { a: 'b' }, hints: { forNodes: [{ name: 'n' }] } }),
    )
    expect(made.endpoints).to.deep.equal([{ addresses: ['10.1.2.3'], conditions: {}, hints: {} }])
  })

  it('takes the node name of a changed endpoint from its deprecated topology', async () => {
    const cases = new KindCases(endpointSliceResource)
    await cases.create(of('IPv4', '10.1.2.3'))
    const deprecatedTopology = { 'kubernetes.io/hostname': 'node-1' }
    const [stored] = cases.server.objects.values()
    ;(stored as AnyObject).endpoints = [{ addresses: ['10.1.2.3'], conditions: {}, deprecatedTopology }]
    expect((await cases.update(endpoint({ deprecatedTopology }))).endpoints[0].deprecatedTopology).to.deep.equal(deprecatedTopology)
    const changed = await cases.update(endpoint({ deprecatedTopology, zone: 'z' }))
    expect(changed.endpoints).to.deep.equal([{ addresses: ['10.1.2.3'], conditions: {}, zone: 'z', nodeName: 'node-1' }])
  })

  it('warns about domain names and non-canonical addresses', async () => {
    const cases = new KindCases(endpointSliceResource)
    await cases.create(of('FQDN', 'foo.example.com'))
    await cases.create(of('IPv4', '010.1.2.3'), { name: 'y' })
    await cases.create(of('IPv4', '010.1.2.3'), {
      name: 'z',
      labels: { 'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io' },
    })
    expect(cases.server.warnings).to.deep.equal([
      'spec.addressType: FQDN endpoints are deprecated',
      'endpoints[0].addresses[0]: non-standard IP address "010.1.2.3" will be considered invalid in a future Kubernetes release: use "10.1.2.3"',
    ])
  })

  const four = ['10.1.2.3', '10.1.2.4', '10.1.2.5', '10.1.2.6']
  const rows: [object, string, string][] = [
    [of('IPv4'), '<unset>', '<unset>'],
    [
      { ...of('IPv4', ...four), ports: [{ name: 'a' }, { port: 2, name: 'b' }, { name: 'c' }, { name: 'd' }] },
      'a,2,c + 1 more...',
      '10.1.2.3,10.1.2.4,10.1.2.5 + 1 more...',
    ],
  ]
  for (const [body, portCell, addressCell] of rows) {
    it(`prints ${portCell} and ${addressCell}`, () =>
      expect(endpointSliceResource.hub.table?.cells({ metadata: { name: 'x' }, ...body } as AnyObject, 0)).to.deep.equal([
        'x',
        'IPv4',
        portCell,
        addressCell,
        '<unknown>',
      ]))
  }
})
