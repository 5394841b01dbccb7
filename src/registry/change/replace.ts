import type { KubeObject } from '../../api/meta/object.ts'
import type { RegistryEnvironment, WriteTarget } from '../types.ts'
import type { Transform } from './transform.ts'
import { updatedView, viewOf, writeView } from './view.ts'

/** A PUT of an object, or of a view of it. */
export interface ReplaceChange {
  readonly kind: 'replace'
  /** Returns the decoded body. Each call returns a new object. */
  readonly next: () => KubeObject
}

/** Returns the transform that replaces an object. */
export function replaceTransform(env: RegistryEnvironment, target: WriteTarget, { next }: ReplaceChange): Transform {
  const view = viewOf(target)
  return async now => (view && now ? writeView(env, view, now, live => updatedView(env, view, live, next())) : next())
}
