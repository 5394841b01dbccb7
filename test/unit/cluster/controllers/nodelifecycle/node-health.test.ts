import { expect } from 'chai'
import type { Node } from '../../../../../src/api/core/v1.types.ts'
import { labelChanges } from '../../../../../src/cluster/controllers/nodelifecycle/labels.ts'
import { deadlineOf, graceOf, nextHealth } from '../../../../../src/cluster/controllers/nodelifecycle/node-health.ts'
import { nextTaints } from '../../../../../src/cluster/controllers/nodelifecycle/taints.ts'

const CREATED = '2030-01-01T00:00:00Z'
const NOW = Date.parse(CREATED) + 100_000

function node(heartbeat: string | undefined, spec: object = {}): Node {
  const conditions =
    heartbeat === undefined ? [] : [{ type: 'Ready', status: 'True', lastHeartbeatTime: heartbeat, lastTransitionTime: heartbeat }]
  const made: unknown = { metadata: { name: 'n', creationTimestamp: CREATED }, spec, status: { conditions } }
  return made as Node
}

describe('the health of a node', () => {
  it('begins when it is seen first, or with its creation if it has reported nothing', () => {
    expect(nextHealth(undefined, node(CREATED), undefined, NOW).seen).to.equal(NOW)
    const silent = nextHealth(undefined, node(undefined), undefined, NOW)
    expect([silent.seen, deadlineOf(silent, graceOf(false))]).to.deep.equal([NOW - 100_000, NOW - 40_000])
  })

  it('is renewed by another heartbeat or a later lease, and by nothing else', () => {
    const first = nextHealth(undefined, node(CREATED), '2030-01-01T00:01:00.000000Z', NOW)
    const seen = (heartbeat: string, renewed: string): number => nextHealth(first, node(heartbeat), renewed, NOW + 5000).seen - NOW
    expect([
      seen(CREATED, '2030-01-01T00:01:00.000000Z'),
      seen(CREATED, '2030-01-01T00:00:59.000000Z'),
      seen(CREATED, '2030-01-01T00:01:10.000000Z'),
      seen('2030-01-01T00:01:10Z', '2030-01-01T00:01:00.000000Z'),
    ]).to.deep.equal([0, 0, 5000, 5000])
  })

  it('lasts for 50 seconds, and for 40 before release 1.32', () => {
    const health = nextHealth(undefined, node(CREATED), undefined, NOW)
    expect([deadlineOf(health, graceOf(false)) - NOW, deadlineOf(health, graceOf(true)) - NOW]).to.deep.equal([50_000, 40_000])
  })
})

describe('the taints of a node after a change', () => {
  const notReady = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' as const }
  const own = { key: 'dedicated', effect: 'NoSchedule' as const }

  it('lose those that no longer hold, and keep those of others', () => {
    expect(nextTaints(node(CREATED, { taints: [notReady, own] }), { add: [], remove: [] }, NOW)).to.deep.equal([own])
    expect(nextTaints(node(CREATED, { taints: [own] }), { add: [], remove: [] }, NOW)).to.equal(undefined)
  })

  it('get new ones with their time, once', () => {
    const cordoned = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' as const, timeAdded: '2030-01-01T00:01:40Z' }
    expect(nextTaints(node(CREATED, { unschedulable: true }), { add: [], remove: [] }, NOW)).to.deep.equal([cordoned])
    expect(nextTaints(node(CREATED, { unschedulable: true, taints: [cordoned] }), { add: [], remove: [] }, NOW + 1000)).to.equal(undefined)
  })
})

describe('the labels of a node', () => {
  it('have the values of the new ones under the old names', () => {
    expect(labelChanges({ 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'arm64', 'beta.kubernetes.io/arch': 'amd64' })).to.deep.equal({
      'beta.kubernetes.io/os': 'linux',
      'beta.kubernetes.io/arch': 'arm64',
    })
    expect(labelChanges({ 'beta.kubernetes.io/os': 'linux' })).to.equal(undefined)
  })
})
