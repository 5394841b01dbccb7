import type { Features } from '../../lifecycle/gates.ts'
import { isSince, type Release } from '../../lifecycle/release.ts'
import { all, type Rule } from '../../meta/rules.ts'

interface WithFeatures {
  readonly features: Pick<Features, 'release'>
}

/** Applies rules in a release and later. */
export function since<V, C extends WithFeatures>(release: Release, ...rules: readonly Rule<NoInfer<V>, NoInfer<C>>[]): Rule<V, C> {
  const rule = all(...rules)
  return (value, path, old, context) => (isSince(context.features.release, release) ? rule(value, path, old, context) : [])
}

/** Applies rules in the releases before one. */
export function before<V, C extends WithFeatures>(release: Release, ...rules: readonly Rule<NoInfer<V>, NoInfer<C>>[]): Rule<V, C> {
  const rule = all(...rules)
  return (value, path, old, context) => (isSince(context.features.release, release) ? [] : rule(value, path, old, context))
}
