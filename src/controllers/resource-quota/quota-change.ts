import type { ResourceQuota } from '../../api/core/v1.types.ts'
import type { Steps } from '../../lib/steps.ts'
import { deepEqualBySize } from '../../meta/equal.ts'

/** Consequences of a new state of a quota. */
export interface QuotaChange {
  /** Whether the quota is new, or its spec differs. */
  readonly isChanged: boolean
  /** Whether the status has the usage, and the limits of the spec. */
  readonly isCounted: boolean
}

/** Compares a quota with its earlier state in steps, as it may have tens of thousands of limits. */
export function* quotaChange(before: ResourceQuota | undefined, { metadata, spec, status }: ResourceQuota): Steps<QuotaChange> {
  const isChanged = before === undefined || before.metadata.uid !== metadata.uid || !(yield* deepEqualBySize(before.spec, spec))
  const isCounted =
    !isChanged && status.used !== undefined && status.hard !== undefined && (yield* deepEqualBySize(spec.hard ?? {}, status.hard))
  return { isChanged, isCounted }
}
