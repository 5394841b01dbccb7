import type { PodCheck } from '../check.ts'
import { plural, quoteItems } from '../words.ts'

/** Baseline: pods have no hostPath volumes. */
export const hostPathVolumes: PodCheck = ({ spec }) => {
  const names = (spec.volumes ?? []).filter(volume => volume.hostPath !== undefined).map(volume => volume.name)
  return names.length === 0 ? undefined : { reason: 'hostPath volumes', detail: `${plural(names.length, 'volume', 'volumes')} ${quoteItems(names)}` }
}
