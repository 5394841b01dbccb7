import { isStepDone } from '../../../../lib/steps.ts'
import type { PodCheck } from '../check.ts'
import { containersText, plural, sortValues } from '../words.ts'

/** Baseline: containers use no host ports. */
export const hostPorts: PodCheck = function* ({ containers }) {
  const names: string[] = []
  const found = new Set<string>()
  for (const { name, ports = [] } of containers) {
    let isBad = false
    for (const { hostPort = 0 } of ports) {
      if (isStepDone()) yield
      if (hostPort === 0) continue
      isBad = true
      found.add(String(hostPort))
    }
    if (isBad) names.push(name)
  }
  if (names.length === 0) return undefined
  const listed = yield* sortValues(found)
  const uses = plural(names.length, 'uses', 'use')
  return { reason: 'hostPort', detail: `${containersText(names)} ${uses} ${plural(listed.length, 'hostPort', 'hostPorts')} ${listed.join(', ')}` }
}
