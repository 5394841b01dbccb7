import type { KubeObject } from '../../../meta/object.ts'
import type { ApiStruct } from '../checks.ts'
import { roundResources } from '../resource-list.ts'

export function setClaimDefaults(claim: KubeObject): void {
  claim.spec ??= {}
  claim.status ??= {}
  claim.status.phase ??= 'Pending'
  setClaimSpecDefaults(claim.spec)
  roundResources(claim.status.capacity)
  roundResources(claim.status.allocatedResources)
}

/** Also for the templates of claims that other kinds have. */
export function setClaimSpecDefaults(spec: ApiStruct): void {
  spec.volumeMode ??= 'Filesystem'
  roundResources(spec.resources?.requests)
  roundResources(spec.resources?.limits)
}
