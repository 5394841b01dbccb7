import type { Features } from '../../lifecycle/gates.ts'
import { isSince } from '../../lifecycle/release.ts'
import type { ValueRules } from '../../schema/json-schema/value-rules.ts'

/**
 * Returns the rules by which a release checks values of custom resources. A format is new to objects if the oldest
 * compatible release knows it.
 */
export const valueRulesOf = ({ release, compatibility }: Features): ValueRules => ({
  checksRanges: isSince(release, '1.36'),
  roundsFloats: isSince(release, '1.37'),
  allowsPartialKeys: isSince(release, '1.34'),
  hasNameFormats: isSince(release, '1.34') && isSince(compatibility, '1.34'),
})
