import { requiredFeatures } from '../../shared/declared-features.ts'
import { type Plugin, SKIP, type Status, unresolvable } from '../framework.ts'
import { helpsIfSuitable } from '../node-hints.ts'
import type { NodeInfo } from '../node-info.ts'

export const NODE_DECLARED_FEATURES = 'NodeDeclaredFeatures'

/**
 * Rejects nodes that do not declare the features that the pod needs. Source:
 * pkg/scheduler/framework/plugins/nodedeclaredfeatures.
 */
export const nodeDeclaredFeatures: Plugin = {
  name: NODE_DECLARED_FEATURES,
  isHelpedByNode: helpsIfSuitable(({ pod }, node) => missingFeature(requiredFeatures(pod.spec), node)),
  preFilter({ pod }) {
    const required = requiredFeatures(pod.spec)
    return required.length === 0 ? { status: SKIP } : { filter: { check: node => missingFeature(required, node) } }
  },
}

function missingFeature(required: readonly string[], { node }: NodeInfo): Status | undefined {
  const { declaredFeatures = [] } = node.status
  return required.every(name => declaredFeatures.includes(name)) ? undefined : unresolvable("node(s) didn't match Pod's required features")
}
