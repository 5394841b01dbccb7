import { expect } from 'chai'
import type { Node, NodeCondition } from '../../../../../src/api/core/v1.types.ts'
import { lostConditions } from '../../../../../src/cluster/controllers/nodelifecycle/lost-node.ts'
import { evictingChange, schedulingTaints } from '../../../../../src/cluster/controllers/nodelifecycle/taints.ts'
import { evictionRate, zoneState } from '../../../../../src/cluster/controllers/nodelifecycle/zones.ts'
import { formatTime } from '../../../../../src/meta/time.ts'

const NOW = Date.parse('2026-01-01T00:00:00Z')
const condition = (type: string, status: string): NodeCondition => ({
  type,
  status,
  lastHeartbeatTime: null,
  lastTransitionTime: null,
  reason: 'r',
  message: 'm',
})
const node = (conditions: NodeCondition[], unschedulable = false): Pick<Node, 'spec' | 'status'> => {
  const made: unknown = { spec: { unschedulable }, status: { conditions } }
  return made as Node
}

describe('taints of a node', () => {
  it('follow its conditions and whether it is cordoned', () => {
    const keys = (given: Pick<Node, 'spec' | 'status'>): string[] =>
      schedulingTaints(given).map(({ key, effect }) => `${key.split('/')[1]} ${effect}`)
    expect(keys(node([condition('Ready', 'True'), condition('PIDPressure', 'False')]))).to.deep.equal([])
    expect(keys(node([condition('Ready', 'Unknown'), condition('NetworkUnavailable', 'True')]))).to.deep.equal([
      'unreachable NoSchedule',
      'network-unavailable NoSchedule',
    ])
    expect(keys(node([condition('Ready', 'False')], true))).to.deep.equal(['not-ready NoSchedule', 'unschedulable NoSchedule'])
  })

  it('evict pods while it is not ready', () => {
    expect(evictingChange('Unknown', NOW)).to.deep.equal({
      add: [{ key: 'node.kubernetes.io/unreachable', effect: 'NoExecute', timeAdded: formatTime(NOW) }],
      remove: ['node.kubernetes.io/not-ready'],
    })
    expect(evictingChange('True', NOW).add).to.deep.equal([])
    expect(evictingChange(undefined, NOW)).to.deep.equal({ add: [], remove: [] })
  })
})

describe('zones of nodes', () => {
  it('are disrupted by the number and share of nodes that are not ready', () => {
    expect([zoneState(5, 2), zoneState(0, 1), zoneState(3, 4), zoneState(0, 0)]).to.deep.equal([
      'Normal',
      'FullDisruption',
      'PartialDisruption',
      'Normal',
    ])
  })

  it('evict the pods of fewer nodes while they are disrupted', () => {
    expect([
      evictionRate('Normal', 10, false),
      evictionRate('PartialDisruption', 51, false),
      evictionRate('PartialDisruption', 50, false),
      evictionRate('Normal', 9, true),
    ]).to.deep.equal([0.1, 0.01, 0, 0])
  })
})

describe('conditions of a node that is lost', () => {
  it('become Unknown, and those that are missing are added', () => {
    const lost = lostConditions(
      [condition('Ready', 'True'), condition('DiskPressure', 'Unknown'), condition('Own', 'True')],
      '2025-12-31T00:00:00Z',
      NOW,
    )
    expect(lost.map(({ type, status, reason }) => `${type} ${status} ${reason}`)).to.deep.equal([
      'Ready Unknown NodeStatusUnknown',
      'DiskPressure Unknown r',
      'Own True r',
      'MemoryPressure Unknown NodeStatusNeverUpdated',
      'PIDPressure Unknown NodeStatusNeverUpdated',
    ])
    expect(lost[0]?.message).to.equal('Kubelet stopped posting node status.')
    expect(lost[3]).to.include({ lastHeartbeatTime: '2025-12-31T00:00:00Z', message: 'Kubelet never posted node status.' })
  })
})
