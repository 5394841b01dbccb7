import { quote } from '../../lib/go-quote.ts'
import type { OwnerReference } from '../../meta/object.ts'

/** Where an object is, or is said to be by an owner reference. */
export interface Coordinates {
  readonly apiVersion: string
  readonly kind: string
  /** Empty for objects of the whole cluster. */
  readonly namespace: string
  readonly name: string
  readonly uid: string
}

/** A copy of the coordinates alone. */
export const coordinatesOf = ({ apiVersion, kind, namespace, name, uid }: Coordinates): Coordinates => ({ apiVersion, kind, namespace, name, uid })

/** What a reference says, seen from a dependent in this namespace. */
export const referredTo = ({ apiVersion, kind, name, uid }: OwnerReference, namespace: string): Coordinates => ({ apiVersion, kind, namespace, name, uid })

/** Whether both are one object, in one place: a reference may name a uid wrongly. */
export const sameCoordinates = (a: Coordinates, b: Coordinates): boolean => refersTo(a, b) && a.namespace === b.namespace

/** Equal but for the namespace, which a reference does not contain. */
export const refersTo = (reference: Omit<Coordinates, 'namespace'>, to: Coordinates): boolean =>
  reference.uid === to.uid && reference.name === to.name && reference.kind === to.kind && reference.apiVersion === to.apiVersion

/** Of objects and of owners that are only referred to. */
export const keyOf = ({ apiVersion, kind, namespace, name, uid }: Coordinates): string => `${apiVersion} ${kind} ${namespace}/${name} ${uid}`

/** As upstream's events show them. */
export const coordinatesText = ({ apiVersion, kind, namespace, name, uid }: Coordinates): string =>
  `[${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}]`

/** The message of an event about a reference from a namespace to an owner that is not there. */
export const invalidNamespaceText = (owner: Coordinates): string => `ownerRef ${coordinatesText(owner)} does not exist in namespace ${quote(owner.namespace)}`
