import type { PodCheck } from '../check.ts'
import { containersText, quoteItems, sortValues } from '../words.ts'

/** Baseline: /proc has the runtime's default masks. */
export const procMount: PodCheck = function* ({ containers }) {
  const bad = containers.filter(({ securityContext }) => (securityContext?.procMount ?? 'Default') !== 'Default')
  if (bad.length === 0) return undefined
  const values = yield* sortValues(new Set(bad.map(({ securityContext }) => securityContext?.procMount ?? '')))
  return { reason: 'procMount', detail: `${containersText(bad.map(({ name }) => name))} must not set securityContext.procMount to ${quoteItems(values)}` }
}
