import type { PersistentVolumeClaim } from '../../../../api/core/v1.types.ts'
import { asKind } from '../../../../catalog/define.ts'
import type { Features } from '../../../../lifecycle/gates.ts'
import { isSince } from '../../../../lifecycle/release.ts'
import { ownMember } from '../../../../meta/equal.ts'
import { compareQuantity, parseQuantity, type Quantity, roundUpQuantity } from '../../../../meta/quantity.ts'
import type { AdmissionRequest } from '../../../../registry/types.ts'
import { CLAIMS } from '../../../kinds.ts'
import { storageClassOf } from '../../storage-class.ts'
import { type Amounts, ONE } from './amounts.ts'
import { countName, type Evaluator, isCreationOrUpdate } from './evaluator.ts'
import { selects } from './scopes.ts'

const COUNT = countName(CLAIMS)
const NUMBER = 'persistentvolumeclaims'
const STORAGE = 'requests.storage'
/** Infix between the name of a storage class and what is counted for it. */
const OF_CLASS = '.storageclass.storage.k8s.io/'

/** Returns the requested storage in whole bytes, or the allocated size of the volume if that is larger. */
function storageOf({ spec, status }: PersistentVolumeClaim, features: Features): Quantity | undefined {
  const asked = ownMember(spec.resources.requests, 'storage')
  if (asked === undefined) return undefined
  const allocated = features.enabled('RecoverVolumeExpansionFailure') ? ownMember(status.allocatedResources, 'storage') : undefined
  return parseQuantity(
    roundUpQuantity(allocated !== undefined && compareQuantity(allocated, roundUpQuantity(asked, 0)) > 0 ? allocated : asked, 0),
  )
}

/** Counts for the namespace, and again for the storage class if the claim has one. */
function usageOf(claim: PersistentVolumeClaim, features: Features): Amounts {
  const usage = new Map([
    [NUMBER, ONE],
    [COUNT, ONE],
  ])
  const storageClass = storageClassOf(claim)
  if (storageClass !== '') usage.set(`${storageClass}${OF_CLASS}${NUMBER}`, ONE)
  const storage = storageOf(claim, features)
  if (storage) {
    usage.set(STORAGE, storage)
    if (storageClass !== '') usage.set(`${storageClass}${OF_CLASS}${STORAGE}`, storage)
  }
  return usage
}

/** Returns the attributes classes that a claim requests, has, or is being changed to, without duplicates. */
const attributesClasses = ({ spec, status }: PersistentVolumeClaim): string[] => [
  ...new Set(
    [
      spec.volumeAttributesClassName,
      status.currentVolumeAttributesClassName,
      status.modifyVolumeStatus?.targetVolumeAttributesClassName,
    ].flatMap(name => name || []),
  ),
]

/**
 * Reports whether a status update may change the usage. If allocated sizes count, upstream assumes that every status
 * update changes them.
 */
function changesStatus({ object, old }: AdmissionRequest, features: Features): boolean {
  if (!isSince(features.release, '1.33') || !object || !old) return false
  if (features.enabled('RecoverVolumeExpansionFailure')) return true
  if (!features.enabled('VolumeAttributesClass')) return false
  const before = new Set(attributesClasses(asKind(CLAIMS, old)))
  const now = attributesClasses(asKind(CLAIMS, object))
  return before.size !== now.length || now.some(name => !before.has(name))
}

/** Evaluator for claims. Source: pkg/quota/v1/evaluator/core/persistent_volume_claims.go in k8s.io/kubernetes. */
export const volumeClaimEvaluator = (features: Features): Evaluator => ({
  resource: CLAIMS,
  handles: request => isCreationOrUpdate(request) || (request.subresource === 'status' && changesStatus(request, features)),
  counts: name => name === COUNT || [NUMBER, STORAGE].some(each => name === each || name.endsWith(`${OF_CLASS}${each}`)),
  inScope: (selector, object) =>
    selector.scopeName === 'VolumeAttributesClass' &&
    isSince(features.release, '1.33') &&
    features.enabled('VolumeAttributesClass') &&
    selects(selector, attributesClasses(asKind(CLAIMS, object))),
  usage: object => usageOf(asKind(CLAIMS, object), features),
})
