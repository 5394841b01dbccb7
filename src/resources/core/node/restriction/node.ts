import type { Node } from '../../../../api/core/v1.types.ts'
import { asKind } from '../../../../catalog/define.ts'
import { compareText } from '../../../../lib/compare-text.ts'
import { quote } from '../../../../lib/go-quote.ts'
import { deepEqual } from '../../../../meta/equal.ts'
import type { Labels } from '../../../../meta/label-matcher.ts'
import { NODES } from '../../../kinds.ts'
import { forbiddenLabels } from './labels.ts'
import { type Restricted, refuseNode, requestedName, sinceOf } from './restricted.ts'

/** Allows a node to write its own Node object, except for fields and labels that would attract other workloads. */
export function restrictNode(restricted: Restricted): void {
  const { request, node } = restricted
  const name = requestedName(request)
  if (name !== node) throw refuseNode(restricted, `node ${quote(node)} is not allowed to modify node ${quote(request.name)}`)
  if (!request.object) return
  const object = asKind(NODES, request.object)
  if (request.operation === 'CREATE') restrictCreation(restricted, object)
  else if (request.old) restrictUpdate(restricted, object, asKind(NODES, request.old))
}

function restrictCreation(restricted: Restricted, { metadata, spec }: Node): void {
  const node = quote(restricted.node)
  // Upstream's message says "pods", too.
  if (spec.configSource) throw refuseNode(restricted, `node ${node} is not allowed to create pods with a non-nil configSource`)
  const forbidden = forbiddenLabels(Object.keys(metadata.labels ?? {}))
  if (forbidden.length > 0)
    throw refuseNode(restricted, `node ${node} is not allowed to set the following labels: ${forbidden.sort(compareText).join(', ')}`)
}

/** Only labels that change are checked, so that a node may keep a forbidden one that an administrator has set. */
function restrictUpdate(restricted: Restricted, object: Node, old: Node): void {
  const node = quote(restricted.node)
  // Old kubelets drop the field when they update the status.
  if (object.spec.configSource && !deepEqual(object.spec.configSource, old.spec.configSource))
    throw refuseNode(restricted, `node ${node} is not allowed to update configSource to a new non-nil configSource`)
  if (!deepEqual(object.spec.taints, old.spec.taints)) throw refuseNode(restricted, `node ${node} is not allowed to modify taints`)
  if (sinceOf(restricted, '1.31') && !deepEqual(object.metadata.ownerReferences, old.metadata.ownerReferences))
    throw refuseNode(restricted, `node ${node} is not allowed to modify ownerReferences`)
  const forbidden = forbiddenLabels(changedKeys(object.metadata.labels ?? {}, old.metadata.labels ?? {}))
  if (forbidden.length > 0) throw refuseNode(restricted, `is not allowed to modify labels: ${forbidden.sort(compareText).join(', ')}`)
}

/** Keys that are in only one of the two maps, or whose values differ. */
export const changedKeys = (a: Labels, b: Labels): string[] => [
  ...Object.keys(a).filter(key => !Object.hasOwn(b, key) || a[key] !== b[key]),
  ...Object.keys(b).filter(key => !Object.hasOwn(a, key)),
]
