import { expect } from 'chai'
import { nodeAddress, simulatedNode, withoutNotReady } from '../../../../src/cluster/nodes/node-objects.ts'
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

describe('the taint of new nodes', () => {
  const notReady = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' as const }
  const other = { key: 'dedicated', effect: 'NoSchedule' as const }

  it('is removed from a node that is ready, and no other one is', () => {
    const node = simulatedNode(1, 'v1.33.0')
    const ready = { type: 'Ready', status: 'True', lastHeartbeatTime: null, lastTransitionTime: null }
    const tainted = { ...node, spec: { taints: [notReady, other] } }
    expect(withoutNotReady(tainted)).to.equal(undefined)
    const readyNode = { ...tainted, status: { ...node.status, conditions: [ready] } }
    expect(withoutNotReady(readyNode)?.spec.taints).to.deep.equal([other])
    expect(withoutNotReady({ ...readyNode, spec: { taints: [other] } })).to.equal(undefined)
  })
})
