import type { KubeObject } from '../../api/meta/object.ts'

/**
 * Returns the wanted object for the existing one, both in the version of the request. `now` is undefined if there is no
 * object, and shared. If the result is undefined, the object is left unchanged and admission does not run. Called again
 * for each attempt after a conflict; each call returns a new object, which the caller then owns.
 */
export type Transform = (now: KubeObject | undefined) => Promise<KubeObject | undefined>
