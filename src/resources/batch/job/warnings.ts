import type { JobSpec } from '../../../api/batch/v1.types.ts'
import { mapResult, type Steps } from '../../../lib/steps.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import { isSince } from '../../../lifecycle/release.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { podTemplateWarnings } from '../../core/pod-spec/warnings.ts'

const MANY_COMPLETIONS = 100_000
const MANY_AT_ONCE = 10_000

/** Warnings for the JobSpec at `path`, including that of a cron job, in steps if its template is large. */
export function jobSpecWarnings(spec: JobSpec, features: Features, path: FieldPath): string[] | Steps<string[]> {
  const warnings: string[] = []
  if (
    isSince(features.release, '1.28') &&
    spec.completionMode === 'Indexed' &&
    (spec.completions ?? 0) > MANY_COMPLETIONS &&
    (spec.parallelism ?? 0) > MANY_AT_ONCE
  ) {
    warnings.push(
      `${path}: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail`,
    )
  }
  return mapResult(podTemplateWarnings(spec.template, features, path.child('template')), ofTemplate => [...warnings, ...ofTemplate])
}
