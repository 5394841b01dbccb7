import type { Taint } from '../../../api/core/v1.types.ts'
import { tolerates } from '../../shared/tolerations.ts'
import { type Plugin, unresolvable } from '../framework.ts'

const TAINT: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }

/** Rejects nodes that are cordoned, unless the pod tolerates it. */
export const nodeUnschedulable: Plugin = {
  name: 'NodeUnschedulable',
  isNodeLocal: true,
  preFilter({ pod }) {
    const isTolerated = pod.spec.tolerations?.some(toleration => tolerates(toleration, TAINT)) ?? false
    return { filter: { check: ({ node }) => (node.spec?.unschedulable && !isTolerated ? unresolvable('node(s) were unschedulable') : undefined) } }
  },
}
