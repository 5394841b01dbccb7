import type { Version } from '../catalog/definition.ts'
import { isSince, type Release } from '../lifecycle/release.ts'
import { forbiddenError } from '../meta/status.ts'
import { groupResourceOf, type WriteTarget } from './types.ts'

/** Message about a create of a custom kind whose definition is being deleted. */
export const NO_CREATES = 'create not allowed while custom resource definition is terminating'

/** Reports whether the definition of a custom kind is being deleted, so that a release does not create objects. */
export const refusesCreates = ({ noCreatesSince }: Version, release: Release): boolean =>
  noCreatesSince !== undefined && isSince(release, noCreatesSince)

/**
 * Throws 403 if the definition of the kind is being deleted. Upstream has this as the first mutating admission plugin
 * since 1.34, so applies that create are refused as well.
 */
export function checkCreate({ served, name }: WriteTarget, release: Release): void {
  if (isSince(release, '1.34') && refusesCreates(served.version, release)) throw forbiddenError(groupResourceOf(served), name, NO_CREATES)
}
