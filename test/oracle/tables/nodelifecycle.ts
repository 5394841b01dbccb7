import type { Node, NodeCondition } from '../../../src/api/core/v1.types.ts'
import { lostConditions } from '../../../src/cluster/controllers/nodelifecycle/lost-node.ts'
import { evictingChange, schedulingTaints } from '../../../src/cluster/controllers/nodelifecycle/taints.ts'
import { evictionRate, type ZoneState, zoneState } from '../../../src/cluster/controllers/nodelifecycle/zones.ts'

const NOW = Date.parse('2024-01-01T00:00:00Z')

const conditionOf = (type: string, status: string): NodeCondition => ({ type, status, lastHeartbeatTime: null, lastTransitionTime: null })

/** Functions of the tables, or the reason why a table has none. */
export const TABLES: Readonly<Record<string, ((given: never) => unknown) | string>> = {
  'noschedule-taints'({ 'spec.unschedulable': unschedulable, ...conditions }: Record<string, string | boolean>) {
    const listed = Object.entries(conditions).map(([type, status]) => conditionOf(type, String(status)))
    const node: Pick<Node, 'spec' | 'status'> = {
      spec: unschedulable ? { unschedulable: true } : {},
      status: { conditions: listed } as Node['status'],
    }
    return schedulingTaints(node)
  },
  'noexecute-taints'({ Ready: ready }: { Ready: string }) {
    const { add, remove } = evictingChange(ready, NOW)
    return { ...(add.length > 0 && { add: add.map(({ key, effect }) => ({ key, effect })) }), remove }
  },
  'zone-state': ({ ready, notReady }: { ready: number; notReady: number }) => zoneState(ready, notReady),
  'eviction-rate': ({ state, nodes, allZonesFull }: { state: ZoneState; nodes: number; allZonesFull: boolean }) =>
    evictionRate(state, nodes, allZonesFull),
  'lost-node-conditions'({ type, hadCondition }: { type: string; hadCondition: boolean }) {
    const found = lostConditions(hadCondition ? [conditionOf(type, 'False')] : [], null, NOW).find(condition => condition.type === type)
    return { type, status: found?.status, reason: found?.reason, message: found?.message }
  },
  events: 'a text: scenarios check it',
}
