import type { Pod, Taint } from '../../../api/core/v1.types.ts'
import { tolerates } from '../../shared/tolerations.ts'
import { type Plugin, type Status, unresolvable } from '../framework.ts'
import { helpsIfSuitable } from '../node-hints.ts'
import type { NodeInfo } from '../node-info.ts'

const TAINT: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }

/** Rejects nodes that are cordoned, unless the pod tolerates it. */
export const nodeUnschedulable: Plugin = {
  name: 'NodeUnschedulable',
  isNodeLocal: true,
  isHelpedByNode: helpsIfSuitable(({ pod }, node) => cordon(pod, node)),
  preFilter: ({ pod }) => ({ filter: { check: node => cordon(pod, node) } }),
}

function cordon({ spec }: Pod, { node }: NodeInfo): Status | undefined {
  if (!node.spec?.unschedulable) return undefined
  return spec.tolerations?.some(toleration => tolerates(toleration, TAINT)) ? undefined : unresolvable('node(s) were unschedulable')
}
