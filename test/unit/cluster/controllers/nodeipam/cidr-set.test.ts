import { expect } from 'chai'
import { CidrSet, OutsideRangeError } from '../../../../../src/cluster/controllers/nodeipam/cidr-set.ts'
import { parseCidr } from '../../../../../src/meta/ip.ts'

function setOf(cidr: string, mask: number): CidrSet {
  const range = parseCidr(cidr)
  if (!range) throw new Error(cidr)
  return new CidrSet(range, mask)
}

describe('blocks of addresses', () => {
  it('are given in order, and a freed one after all others', () => {
    const set = setOf('10.244.0.0/22', 24)
    expect([set.allocate(), set.allocate()]).to.deep.equal(['10.244.0.0/24', '10.244.1.0/24'])
    set.release('10.244.0.0/24')
    expect([set.allocate(), set.allocate(), set.allocate(), set.allocate()]).to.deep.equal([
      '10.244.2.0/24',
      '10.244.3.0/24',
      '10.244.0.0/24',
      undefined,
    ])
  })

  it('are not given while another CIDR overlaps them', () => {
    const set = setOf('10.244.0.0/22', 24)
    set.occupy('10.244.0.0/23')
    expect(set.allocate()).to.equal('10.244.2.0/24')
    set.occupy('10.0.0.0/8')
    expect(set.allocate()).to.equal(undefined)
  })

  for (const { cidr, mask, index, block } of [
    { cidr: '127.123.0.0/16', mask: 24, index: 15, block: '127.123.15.0/24' },
    { cidr: '2001:0db8:1234:ff00::/56', mask: 72, index: 6425, block: '2001:db8:1234:ff19:1900::/72' },
    { cidr: '2001:0db8:1234:0:1234::/80', mask: 96, index: 15, block: '2001:db8:1234:0:1234:f::/96' },
  ])
    it(`are numbered: ${block} has the index ${index} in ${cidr}`, () => {
      const set = setOf(cidr, mask)
      expect([set.block(index), set.span(block)]).to.deep.equal([block, [index, index]])
    })

  for (const { cidr, mask, other, span } of [
    { cidr: '2001:beef:1200::/40', mask: 48, other: '2001:beef:1234::/34', span: [0, 255] },
    { cidr: '127.0.0.0/8', mask: 32, other: '127.0.0.0/16', span: [0, 65_535] },
    { cidr: '2001:beef:7f00::/39', mask: 47, other: '2001:beef:7f00::/47', span: [128, 128] },
    { cidr: '2001:beef:7f00::/39', mask: 50, other: '2001:beef:7f00::/47', span: [1024, 1031] },
  ])
    it(`${span.join(' to ')} of ${cidr} overlap ${other}`, () => {
      expect(setOf(cidr, mask).span(other)).to.deep.equal(span)
    })

  it('do not include those of another range or family', () => {
    for (const cidr of ['127.168.224.0/24', 'be00::/16', 'nonsense'])
      expect(() => setOf('192.168.0.0/16', 24).span(cidr)).to.throw(OutsideRangeError)
  })
})
