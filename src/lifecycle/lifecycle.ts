import { LIFECYCLES, type Lifecycle, type LifecyclePlan } from './kinds.ts'
import { compareReleases, type Release } from './release.ts'

/** What a release says to those who use a deprecated kind. */
export interface Deprecation {
  /** The text of the `Warning` header. */
  readonly warning: string
  /** Empty where its end has not been decided. */
  readonly removedRelease: string
}

/** Undefined for kinds that the table does not have: those have no history. */
export function lifecycleOf(apiVersion: string, kind: string): Lifecycle | undefined {
  const kinds = Object.hasOwn(LIFECYCLES, apiVersion) ? LIFECYCLES[apiVersion] : undefined
  return kinds !== undefined && Object.hasOwn(kinds, kind) ? kinds[kind] : undefined
}

/** The release from which on the kind is not there; undefined where its end has not been decided. */
export const endOf = ({ withdrawn, removed }: Lifecycle): Release | undefined => withdrawn ?? removed

/** Whether the release has the kind: introduced, and not removed yet. */
export function existsIn(release: Release, apiVersion: string, kind: string): boolean {
  const life = lifecycleOf(apiVersion, kind)
  if (life === undefined) return true
  const end = endOf(life)
  return compareReleases(life.introduced, release) <= 0 && (end === undefined || compareReleases(release, end) < 0)
}

/** Whether a later release brings the kind. */
export function comesLater(release: Release, apiVersion: string, kind: string): boolean {
  const life = lifecycleOf(apiVersion, kind)
  return life !== undefined && compareReleases(life.introduced, release) > 0
}

/** In kube-apiserver's words; undefined where the release has not deprecated the kind. */
export function deprecationIn(release: Release, apiVersion: string, kind: string): Deprecation | undefined {
  const life = announcedBy(release, lifecycleOf(apiVersion, kind))
  if (life?.deprecated === undefined || compareReleases(life.deprecated, release) > 0) return undefined
  const removed = life.removed === undefined ? '' : `, unavailable in v${life.removed}+`
  const replaced = life.replacement === undefined ? '' : `; use ${life.replacement}`
  return { warning: `${apiVersion} ${kind} is deprecated in v${life.deprecated}+${removed}${replaced}`, removedRelease: life.removed ?? '' }
}

/** Plans change: what a release says is what was planned then. */
const announcedBy = (release: Release, life: Lifecycle | undefined): LifecyclePlan | undefined =>
  life?.formerly !== undefined && compareReleases(release, life.formerly.until) < 0 ? life.formerly : life
