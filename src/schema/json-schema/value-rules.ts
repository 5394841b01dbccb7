/** Rules of schemas that depend on the release. */
export interface ValueRules {
  /** Whether numbers must be in the range of their format. Integers without a format must be in that of int64. */
  readonly checksRanges: boolean
  /** Whether a float slightly below a whole number is as good as that, as one slightly above it. */
  readonly roundsFloats: boolean
  /** Whether the formats `k8s-short-name` and `k8s-long-name` are known. */
  readonly hasNameFormats: boolean
  /** Whether items of a list of type map may omit some of its keys in server-side apply. */
  readonly allowsPartialKeys: boolean
}

/** Rules of the oldest releases. */
export const FIRST_VALUE_RULES: ValueRules = { checksRanges: false, roundsFloats: false, hasNameFormats: false, allowsPartialKeys: false }
