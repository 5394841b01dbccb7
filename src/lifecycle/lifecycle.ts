import { LIFECYCLES, type Lifecycle, type LifecyclePlan } from './kinds.ts'
import { compareReleases, type Release } from './release.ts'

/** Deprecation of a kind, as a release reports it to clients. */
export interface Deprecation {
  /** Text of the `Warning` header. */
  readonly warning: string
  /** Release that removes it. Empty if not decided. */
  readonly removedRelease: string
}

/** Returns undefined for a kind that the table does not have, which has no history. */
export function lifecycleOf(apiVersion: string, kind: string): Lifecycle | undefined {
  const kinds = Object.hasOwn(LIFECYCLES, apiVersion) ? LIFECYCLES[apiVersion] : undefined
  return kinds !== undefined && Object.hasOwn(kinds, kind) ? kinds[kind] : undefined
}

/** Returns the first release without the kind, or undefined if it has not been decided. */
export const endOf = ({ withdrawn, removed }: Lifecycle): Release | undefined => withdrawn ?? removed

/** Reports whether the release has the kind: introduced and not removed. */
export function existsIn(release: Release, apiVersion: string, kind: string): boolean {
  const life = lifecycleOf(apiVersion, kind)
  if (life === undefined) return true
  const end = endOf(life)
  return compareReleases(life.introduced, release) <= 0 && (end === undefined || compareReleases(release, end) < 0)
}

/** Reports whether a later release introduces the kind. */
export function comesLater(release: Release, apiVersion: string, kind: string): boolean {
  const life = lifecycleOf(apiVersion, kind)
  return life !== undefined && compareReleases(life.introduced, release) > 0
}

/** Returns the deprecation in kube-apiserver's words, or undefined if the release has not deprecated the kind. */
export function deprecationIn(release: Release, apiVersion: string, kind: string): Deprecation | undefined {
  const life = announcedBy(release, lifecycleOf(apiVersion, kind))
  if (life?.deprecated === undefined || compareReleases(life.deprecated, release) > 0) return undefined
  const removed = life.removed === undefined ? '' : `, unavailable in v${life.removed}+`
  const replaced = life.replacement === undefined ? '' : `; use ${life.replacement}`
  return { warning: `${apiVersion} ${kind} is deprecated in v${life.deprecated}+${removed}${replaced}`, removedRelease: life.removed ?? '' }
}

/** Plans change: a release announces the plan of its time. */
const announcedBy = (release: Release, life: Lifecycle | undefined): LifecyclePlan | undefined =>
  life?.formerly !== undefined && compareReleases(release, life.formerly.until) < 0 ? life.formerly : life
