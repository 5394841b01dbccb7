import type { PersistentVolumeClaim } from '../../../../api/core/v1.types.ts'
import type { KubeObject } from '../../../../api/meta/object.ts'
import { asKind } from '../../../../catalog/define.ts'
import { quote } from '../../../../lib/go-quote.ts'
import { clone, deepEqual } from '../../../../meta/equal.ts'
import { CLAIMS } from '../../../kinds.ts'
import { goChanges } from '../../../shared/go-values.ts'
import { type Restricted, refuseNode, sinceOf } from './restricted.ts'

/** Allows nodes to report the size of claims and the progress of a resize. */
export function restrictClaim(restricted: Restricted): void {
  const { operation, subresource, object, old } = restricted.request
  if (subresource !== 'status') throw refuseNode(restricted, 'may only update PVC status')
  if (operation !== 'UPDATE' || !object || !old) throw refuseNode(restricted, `unexpected operation ${quote(operation)}`)
  const recovers = restricted.options.features.enabled('RecoverVolumeExpansionFailure')
  const [before, after] = [comparable(old, recovers), comparable(object, recovers)]
  if (deepEqual(before, after)) return
  const size = sinceOf(restricted, '1.30') ? 'status.quantity' : 'status.capacity'
  const changes = goChanges(restricted.options.features.release, 'core.PersistentVolumeClaim', before, after)
  throw refuseNode(
    restricted,
    `node ${quote(restricted.node)} is not allowed to update fields other than ${size} and status.conditions: ${changes}`,
  )
}

/** Copy of a claim without the fields that a node may change, and without metadata that every update changes. */
function comparable(object: KubeObject, recovers: boolean): PersistentVolumeClaim {
  const claim = asKind(CLAIMS, clone(object))
  delete claim.metadata.resourceVersion
  delete claim.metadata.managedFields
  const status = claim.status ?? {}
  delete status.capacity
  delete status.conditions
  if (!recovers) return claim
  delete status.allocatedResourceStatuses
  delete status.allocatedResources
  return claim
}
