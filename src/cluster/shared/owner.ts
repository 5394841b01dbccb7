import type { OwnerReference, TypedObject } from '../../api/meta/object.ts'
import type { ResourceKind } from '../../clients/api-client.ts'
import { apiVersionOf } from '../../meta/gvk.ts'

/** Returns the owner reference of the controller of an object. Undefined if it has none. */
export const controllerOf = ({ metadata }: Pick<TypedObject, 'metadata'>): OwnerReference | undefined =>
  metadata.ownerReferences?.find(reference => reference.controller === true)

/** Whether an object is the controller of another one. */
export const isControlledBy = (object: TypedObject, { metadata: { uid } }: TypedObject): boolean =>
  uid !== undefined && controllerOf(object)?.uid === uid

/** Returns the reference to the controller in objects that it creates or adopts. */
export const controllerReference = (kind: ResourceKind<TypedObject>, { metadata }: TypedObject): OwnerReference => ({
  apiVersion: apiVersionOf(kind),
  kind: kind.kind,
  name: metadata.name ?? '',
  uid: metadata.uid ?? '',
  controller: true,
  blockOwnerDeletion: true,
})
