import type { Node } from '../../../../api/core/v1.types.ts'
import { addQuantity, quantityMilliValue, quantitySign } from '../../../../meta/quantity.ts'
import { isNodeReady, ZONE } from '../../../shared/nodes.ts'

/** Labels of nodes that run no endpoints. */
const EXCLUDED = ['node-role.kubernetes.io/control-plane', 'node-role.kubernetes.io/master']

/** The CPU of the ready nodes of each zone. */
export interface ZoneCpu {
  /** Quantities by zone. */
  readonly cpu: Readonly<Record<string, string>>
  /** Share of all CPU by zone. */
  readonly ratios: ReadonlyMap<string, number>
}

/**
 * Adds up the CPU of ready nodes by zone. Undefined if a node lacks a zone or CPU, or if there is one zone only.
 * Corresponds to upstream's SetNodes.
 */
export function zoneCpuOf(nodes: Iterable<Node>): ZoneCpu | undefined {
  const cpu: Record<string, string> = {}
  let total = '0'
  for (const node of nodes) {
    const { labels = {} } = node.metadata
    if (EXCLUDED.some(label => label in labels) || !isNodeReady(node)) continue
    const zone = labels[ZONE] ?? ''
    const ofNode = node.status.allocatable?.cpu
    if (zone === '' || quantitySign(ofNode) === 0) return undefined
    cpu[zone] = addQuantity(cpu[zone], ofNode)
    total = addQuantity(total, ofNode)
  }
  if (Object.keys(cpu).length < 2) return undefined
  const all = Number(quantityMilliValue(total))
  return { cpu, ratios: new Map(Object.entries(cpu).map(([zone, ofZone]) => [zone, Number(quantityMilliValue(ofZone)) / all])) }
}
