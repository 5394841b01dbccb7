import { expect } from 'chai'
import type { ServiceCIDR } from '../../../../../src/api/networking/v1.types.ts'
import {
  containingNames,
  isCovered,
  overlappingNames,
  serviceRanges,
  wouldBeOrphan,
} from '../../../../../src/cluster/controllers/servicecidrs/ranges.ts'
import { type IpAddress, parseIp } from '../../../../../src/meta/ip.ts'

const cidr = (name: string, ...cidrs: string[]): ServiceCIDR => ({
  kind: 'ServiceCIDR',
  apiVersion: '',
  metadata: { name },
  spec: { cidrs },
  status: {},
})
const address = (text: string): IpAddress => parseIp(text) ?? new Uint8Array()

const OWN = cidr('kubernetes', '192.168.0.0/24', '2001:db2::/64')
const UNRELATED = [cidr('unrelated', '10.0.0.0/24'), cidr('unrelated2', '10.0.0.0/16')]
const THREE = [
  OWN,
  cidr('overlapping', '192.168.0.0/24', '2001:db2::/64'),
  cidr('overlapping2', '192.168.0.0/26', '2001:db2::/96'),
  ...UNRELATED,
]

/** Cases of TestController_canDeleteCIDR in pkg/controller/servicecidrs of k8s.io/kubernetes. */
const DELETIONS: [title: string, others: ServiceCIDR[], address: string, mayGo: boolean][] = [
  ['has an address', [], '192.168.0.24', false],
  ['has no address', [], '192.168.1.24', true],
  ['has the address of its subnet', [], '192.168.0.0', true],
  ['has its IPv4 broadcast address', [], '192.168.0.255', true],
  ['has its last IPv6 address', [], '2001:db2::ffff:ffff:ffff:ffff', false],
  ['has an address that an equal range has', [cidr('o', '192.168.0.0/24', '2001:db2::/64')], '192.168.0.23', true],
  ['has an address that a smaller range has', [cidr('o', '192.168.0.0/26', '2001:db2::/64')], '192.168.0.23', true],
  ['has an address that a smaller range has not', [cidr('o', '192.168.0.0/28', '2001:db2::/64')], '192.168.0.23', false],
  ['has an address that a larger range has', [cidr('o', '192.168.0.0/16', '2001:db2::/64')], '192.168.0.23', true],
]

describe('ranges of ServiceCIDRs', () => {
  for (const [title, others, text, mayGo] of DELETIONS)
    it(`${mayGo ? 'lets a ServiceCIDR go' : 'keeps a ServiceCIDR'} that ${title}`, () => {
      const ranges = serviceRanges([OWN, ...others])
      expect(isCovered(OWN, ranges) || !wouldBeOrphan(address(text), 'kubernetes', ranges)).to.equal(mayGo)
    })

  it('is covered only if each family is', () => {
    expect(isCovered(OWN, serviceRanges([OWN, cidr('o', '192.168.0.0/16')]))).to.equal(false)
    expect(isCovered(OWN, serviceRanges([OWN, cidr('o', '192.168.0.0/16'), cidr('p', '2001:db2::/64')]))).to.equal(true)
  })

  /** Cases of TestController_ipToCidrs. */
  const containing: [text: string, names: string[]][] = [
    ['192.168.0.23', ['kubernetes', 'overlapping', 'overlapping2']],
    ['192.168.0.0', []],
    ['192.168.0.63', ['kubernetes', 'overlapping']],
    ['2001:db2::', []],
    ['2001:db2::ffff:ffff:ffff:ffff', ['kubernetes', 'overlapping']],
    ['::1', []],
  ]
  for (const [text, names] of containing)
    it(`${text} may be of ${names.length} ServiceCIDRs`, () =>
      expect([...containingNames(address(text), serviceRanges(THREE))]).to.deep.equal(names))

  it('overlaps with equal, smaller and larger ranges', () => {
    expect([...overlappingNames(OWN, serviceRanges(THREE))]).to.deep.equal(['kubernetes', 'overlapping', 'overlapping2'])
    expect([...overlappingNames(cidr('x', '10.0.0.128/25'), serviceRanges(THREE))]).to.deep.equal(['unrelated', 'unrelated2'])
    expect([...overlappingNames(OWN, serviceRanges(UNRELATED))]).to.deep.equal([])
  })
})
