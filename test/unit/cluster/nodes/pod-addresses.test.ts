import { expect } from 'chai'
import { nodeAddress } from '../../../../src/cluster/nodes/node-objects.ts'
import { PodAddresses } from '../../../../src/cluster/nodes/pod-addresses.ts'

const BLOCK = ['10.64.3.0/24']

describe('addresses of simulated pods', () => {
  it('are those of the block of their node, different, and remain as long as the pod exists', () => {
    const addresses = new PodAddresses()
    expect(['a', 'b', 'a'].map(uid => addresses.of(uid, BLOCK))).to.deep.equal([['10.64.3.1'], ['10.64.3.2'], ['10.64.3.1']])
    addresses.release('a')
    expect([addresses.of('c', BLOCK), addresses.of('a', BLOCK)]).to.deep.equal([['10.64.3.3'], ['10.64.3.4']])
  })

  it('are of each family that the node has', () => {
    expect(new PodAddresses().of('a', ['10.64.3.0/24', 'fd00:0:0:1::/64'])).to.deep.equal(['10.64.3.1', 'fd00:0:0:1::1'])
  })

  it('are of a general range if the node has no block, or a full one', () => {
    const addresses = new PodAddresses()
    expect(addresses.of('a')).to.deep.equal(['10.192.0.1'])
    expect(['b', 'c', 'd'].map(uid => addresses.of(uid, ['10.64.0.0/30'])[0])).to.deep.equal(['10.64.0.1', '10.64.0.2', '10.192.0.2'])
  })

  it('are not those that other pods have already', () => {
    const addresses = new PodAddresses()
    addresses.note('old', ['10.64.3.1'], BLOCK)
    addresses.note('outside', ['192.168.0.1'], BLOCK)
    expect([addresses.of('new', BLOCK), addresses.of('old', BLOCK), addresses.of('outside', BLOCK)]).to.deep.equal([
      ['10.64.3.2'],
      ['10.64.3.1'],
      ['10.64.3.3'],
    ])
  })

  it('carry over into the next byte', () => {
    const addresses = new PodAddresses()
    let last: string[] = []
    for (let i = 0; i < 300; i++) last = addresses.of(`p${i}`, ['10.64.0.0/22'])
    expect(last).to.deep.equal(['10.64.1.44'])
  })

  it('are of another range than those of nodes', () => {
    expect([1, 256, 70_000].map(nodeAddress)).to.deep.equal(['10.128.0.1', '10.128.1.0', '10.129.17.112'])
  })
})
