import type { ObjectMeta } from '../../../api/meta/object.ts'

const PREFIX = 'autoscaling.alpha.kubernetes.io/'

/** Annotations of v1 with values for which only v2 has fields. */
export const METRICS = `${PREFIX}metrics`
/** Their values are JSON, which upstream's conversion between the versions writes and reads. */
export const CURRENT_METRICS = `${PREFIX}current-metrics`
export const CONDITIONS = `${PREFIX}conditions`
export const BEHAVIOR = `${PREFIX}behavior`

const ROUND_TRIP = [METRICS, CURRENT_METRICS, CONDITIONS, BEHAVIOR, `${PREFIX}scale-down-tolerance`, `${PREFIX}scale-up-tolerance`]

/** Removes the annotations, which have no meaning in v2 and are not kept there. */
export function dropRoundTripAnnotations(metadata: ObjectMeta): void {
  const { annotations } = metadata
  if (!annotations || !ROUND_TRIP.some(key => Object.hasOwn(annotations, key))) return
  const kept = Object.entries(annotations).filter(([key]) => !ROUND_TRIP.includes(key))
  if (kept.length > 0) metadata.annotations = Object.fromEntries(kept)
  else delete metadata.annotations
}
