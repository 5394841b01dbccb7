import type { Container } from '../../../../api/core/v1.types.ts'
import { isStepDone } from '../../../../lib/steps.ts'
import type { PodCheck } from '../check.ts'
import { containersText, plural, quoteItems, sortValues } from '../words.ts'

/** Returns the hosts that probes and lifecycle handlers of a container name. */
const hostsOf = ({ livenessProbe, readinessProbe, startupProbe, lifecycle }: Container): string[] =>
  [livenessProbe, readinessProbe, startupProbe, lifecycle?.postStart, lifecycle?.preStop]
    .flatMap(action => [action?.httpGet?.host ?? '', action?.tcpSocket?.host ?? ''])
    .filter(host => host !== '')

/** Baseline since 1.34: probes and lifecycle handlers set no `host`. */
export const hostProbes: PodCheck = function* ({ containers }) {
  const names = new Set<string>()
  const found = new Set<string>()
  for (const container of containers) {
    const hosts = hostsOf(container)
    for (const host of hosts) found.add(host)
    if (hosts.length > 0) names.add(container.name)
    if (isStepDone()) yield
  }
  if (names.size === 0) return undefined
  const listed = yield* sortValues(found)
  const hosts = plural(listed.length, 'probe or lifecycle host', 'probe or lifecycle hosts')
  return {
    reason: 'probe or lifecycle host',
    detail: `${containersText(yield* sortValues(names))} ${plural(names.size, 'uses', 'use')} ${hosts} ${quoteItems(listed)}`,
  }
}
