import { expect } from 'chai'
import type { EndpointAddress, EndpointPort, EndpointSubset } from '../../../../src/api/core/v1.types.ts'
import { repackSubsets } from '../../../../src/cluster/shared/endpoint-subsets.ts'
import { runAtOnce } from '../../../../src/lib/steps.ts'

const port = (number: number): EndpointPort => ({ name: `p${number}`, port: number, protocol: 'TCP' })
const at = (...ips: string[]): EndpointAddress[] => ips.map(ip => ({ ip }))
const pod = (ip: string, uid: string): EndpointAddress => ({ ip, targetRef: { kind: 'Pod', name: uid, uid } })

describe('canonical form of subsets', () => {
  const cases: readonly (readonly [name: string, subsets: EndpointSubset[], packed: EndpointSubset[]])[] = [
    ['of none has none', [], []],
    ['keeps addresses without ports', [{ addresses: at('1.1.1.1') }], [{ addresses: at('1.1.1.1') }]],
    [
      'joins the ports of the same addresses, in any order',
      [
        { addresses: at('1.1.1.2', '1.1.1.1'), ports: [port(2)] },
        { addresses: at('1.1.1.1', '1.1.1.2'), ports: [port(1), port(3)] },
      ],
      [{ addresses: at('1.1.1.1', '1.1.1.2'), ports: [port(1), port(2), port(3)] }],
    ],
    [
      'joins the addresses of the same port, each once',
      [
        { addresses: at('1.1.1.1'), ports: [port(1)] },
        { addresses: at('1.1.1.2', '1.1.1.1'), ports: [port(1)] },
      ],
      [{ addresses: at('1.1.1.1', '1.1.1.2'), ports: [port(1)] }],
    ],
    [
      'splits a subset that shares only some of its ports',
      [
        { addresses: at('1.1.1.1'), ports: [port(1), port(2)] },
        { addresses: at('1.1.1.2'), ports: [port(2)] },
      ],
      [
        { addresses: at('1.1.1.1'), ports: [port(1)] },
        { addresses: at('1.1.1.1', '1.1.1.2'), ports: [port(2)] },
      ],
    ],
    [
      'has an address once that is ready and not ready, as not ready',
      [
        { addresses: at('1.1.1.1', '1.1.1.2'), ports: [port(1)] },
        { notReadyAddresses: at('1.1.1.1'), ports: [port(1)] },
      ],
      [{ addresses: at('1.1.1.2'), notReadyAddresses: at('1.1.1.1'), ports: [port(1)] }],
    ],
    [
      'joins no ports whose addresses differ in being ready',
      [
        { addresses: at('1.1.1.1'), ports: [port(1)] },
        { notReadyAddresses: at('1.1.1.1'), ports: [port(2)] },
      ],
      [
        { addresses: at('1.1.1.1'), ports: [port(1)] },
        { notReadyAddresses: at('1.1.1.1'), ports: [port(2)] },
      ],
    ],
    [
      'tells targets with one address apart',
      [{ addresses: [pod('1.1.1.1', 'b'), pod('1.1.1.1', 'a'), pod('1.1.1.1', 'b')], ports: [port(1)] }],
      [{ addresses: [pod('1.1.1.1', 'a'), pod('1.1.1.1', 'b')], ports: [port(1)] }],
    ],
  ]
  for (const [name, subsets, packed] of cases)
    it(name, () => {
      expect(runAtOnce(repackSubsets(subsets))).to.deep.equal(packed)
    })

  it('is not made if it would be as large as the square of the subsets', () => {
    const addresses = at(...Array.from({ length: 2000 }, (_, i) => `10.0.${i >> 8}.${i & 255}`))
    const ports = Array.from({ length: 2000 }, (_, i) => port(i + 1))
    const own = ports.map((each, i): EndpointSubset => ({ addresses: at(`10.1.${i >> 8}.${i & 255}`), ports: [each] }))
    const subsets = [{ addresses, ports }, ...own]
    expect(runAtOnce(repackSubsets(subsets))).to.equal(subsets)
    expect(runAtOnce(repackSubsets([{ addresses, ports }]))).to.deep.equal([
      {
        addresses: runAtOnce(repackSubsets([{ addresses }]))[0]?.addresses,
        ports: runAtOnce(repackSubsets([{ addresses: at('1.1.1.1'), ports }]))[0]?.ports,
      },
    ])
  })
})
