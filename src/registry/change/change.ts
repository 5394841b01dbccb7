import type { RegistryEnvironment, WriteTarget } from '../types.ts'
import { type ApplyChange, applyTransform } from './apply.ts'
import { type PatchChange, patchTransform } from './patch.ts'
import { type ReplaceChange, replaceTransform } from './replace.ts'
import type { Transform } from './transform.ts'

/**
 * The change that a write requests of an object: data, which the registry carries out for each attempt of the write.
 */
export type ObjectChange = ReplaceChange | PatchChange | ApplyChange | ComputedChange

/** A change that code of this server computes. */
export interface ComputedChange {
  readonly kind: 'compute'
  readonly compute: Transform
}

/** Returns the transform that carries out a change. Throws StatusErrors. */
export function transformOf(env: RegistryEnvironment, target: WriteTarget, change: ObjectChange): Transform {
  switch (change.kind) {
    case 'replace':
      return replaceTransform(env, target, change)
    case 'patch':
      return patchTransform(env, target, change)
    case 'apply':
      return applyTransform(env, target, change)
    case 'compute':
      return change.compute
  }
}

/**
 * Whether the transform of a change sets the managed fields. Otherwise they are updated after it. Those of a view are
 * derived from its parent's.
 */
export const setsManagedFields = ({ kind }: ObjectChange, isView: boolean): boolean => kind === 'apply' || (isView && kind !== 'compute')
