import type { OwnerReference } from '../../api/meta/object.ts'
import { quote } from '../../lib/go-quote.ts'

/** Identity of an object, or of an owner as a reference states it. */
export interface Coordinates {
  readonly apiVersion: string
  readonly kind: string
  /** Empty for cluster-scoped objects. */
  readonly namespace: string
  readonly name: string
  readonly uid: string
}

/** Copies the coordinates of an object. */
export const coordinatesOf = ({ apiVersion, kind, namespace, name, uid }: Coordinates): Coordinates => ({
  apiVersion,
  kind,
  namespace,
  name,
  uid,
})

/** Coordinates of the owner in a reference. @param namespace namespace of the dependent. */
export const referredTo = ({ apiVersion, kind, name, uid }: OwnerReference, namespace: string): Coordinates => ({
  apiVersion,
  kind,
  namespace,
  name,
  uid,
})

/**
 * Whether all coordinates are equal. Equal UIDs are not enough, because a reference may combine a UID with a wrong
 * name.
 */
export const sameCoordinates = (a: Coordinates, b: Coordinates): boolean => refersTo(a, b) && a.namespace === b.namespace

/** Whether the coordinates are equal except for the namespace, which a reference does not contain. */
export const refersTo = (reference: Omit<Coordinates, 'namespace'>, to: Coordinates): boolean =>
  reference.uid === to.uid && reference.name === to.name && reference.kind === to.kind && reference.apiVersion === to.apiVersion

/** Map key of an object, or of an owner that is only known from a reference. */
export const coordinatesKey = ({ apiVersion, kind, namespace, name, uid }: Coordinates): string =>
  `${apiVersion} ${kind} ${namespace}/${name} ${uid}`

/** Coordinates as upstream's events print them. */
export const coordinatesText = ({ apiVersion, kind, namespace, name, uid }: Coordinates): string =>
  `[${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}]`

/** Message of an event about an owner that does not exist in the dependent's namespace. */
export const invalidNamespaceText = (owner: Coordinates): string =>
  `ownerRef ${coordinatesText(owner)} does not exist in namespace ${quote(owner.namespace)}`
