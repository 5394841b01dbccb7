import { type Plugin, type Status, unresolvable } from '../framework.ts'
import { helpsIfSuitable } from '../node-hints.ts'
import type { NodeInfo } from '../node-info.ts'
import type { PodInfo } from '../pod-info.ts'

/** Accepts only the node that the pod names, if it names one. */
export const nodeName: Plugin = {
  name: 'NodeName',
  isNodeLocal: true,
  isHelpedByNode: helpsIfSuitable(otherName),
  preFilter: pod => ({ filter: { check: node => otherName(pod, node) } }),
}

function otherName({ pod: { spec } }: PodInfo, { name }: NodeInfo): Status | undefined {
  return !spec.nodeName || spec.nodeName === name ? undefined : unresolvable("node(s) didn't match the requested node name")
}
