import { expect } from 'chai'
import { nodeAddress } from '../../../../src/cluster/nodes/node-objects.ts'
import { PodAddresses } from '../../../../src/cluster/nodes/pod-addresses.ts'

describe('addresses of simulated pods', () => {
  it('are different, and remain as long as the pod exists', () => {
    const addresses = new PodAddresses()
    expect(['a', 'b', 'a'].map(uid => addresses.of(uid))).to.deep.equal(['10.64.0.1', '10.64.0.2', '10.64.0.1'])
    addresses.release('a')
    expect([addresses.of('c'), addresses.of('a')]).to.deep.equal(['10.64.0.3', '10.64.0.4'])
  })

  it('are not those that other pods have already', () => {
    const addresses = new PodAddresses()
    addresses.note('old', '10.64.0.1')
    addresses.note('outside', '192.168.0.1')
    expect([addresses.of('new'), addresses.of('old'), addresses.of('outside')]).to.deep.equal(['10.64.0.2', '10.64.0.1', '10.64.0.3'])
  })

  it('are of another range than those of nodes', () => {
    expect([1, 256, 70_000].map(nodeAddress)).to.deep.equal(['10.128.0.1', '10.128.1.0', '10.129.17.112'])
  })
})
