import { parseDeclarations } from '../declarations.ts'

/**
 * Semantic versions, parsed strictly: `semver('1.2.3').isLessThan(semver('2.0.0'))`. Introduced for device selectors;
 * part of the base environment since 1.33. The order is that of https://semver.org, section 11: a prerelease precedes
 * its release, and build metadata is ignored.
 */
export const SEMVER_OF_STRINGS = parseDeclarations(`
  semver_compare_to: .compareTo(kubernetes.Semver, kubernetes.Semver) -> int
  semver_is_greater_than: .isGreaterThan(kubernetes.Semver, kubernetes.Semver) -> bool
  semver_is_less_than: .isLessThan(kubernetes.Semver, kubernetes.Semver) -> bool
  is_semver_string: isSemver(string) -> bool
  semver_major: .major(kubernetes.Semver) -> int
  semver_minor: .minor(kubernetes.Semver) -> int
  semver_patch: .patch(kubernetes.Semver) -> int
  string_to_semver: semver(string) -> kubernetes.Semver
`)

/**
 * Semantic versions. The second argument of the added signatures is whether the text is normalized before it is parsed.
 */
export const SEMVER = [
  ...SEMVER_OF_STRINGS,
  ...parseDeclarations(`
  is_semver_string_bool: isSemver(string, bool) -> bool
  string_bool_to_semver: semver(string, bool) -> kubernetes.Semver
`),
]
