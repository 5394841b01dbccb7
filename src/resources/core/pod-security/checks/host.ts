import type { Container } from '../../../../api/core/v1.types.ts'
import { isStepDone } from '../../../../lib/steps.ts'
import type { PodCheck } from '../check.ts'
import { containersText, plural, quoteItems, settersOf, sortValues } from '../words.ts'

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

const HOST_NAMESPACES = ['hostNetwork', 'hostPID', 'hostIPC'] as const

/** Baseline: pods do not share namespaces of the host. */
export const hostNamespaces: PodCheck = ({ spec }) => {
  const shared = HOST_NAMESPACES.filter(field => spec[field] === true)
  return shared.length === 0 ? undefined : { reason: 'host namespaces', detail: shared.map(field => `${field}=true`).join(', ') }
}

/** Baseline: pods have no hostPath volumes. */
export const hostPathVolumes: PodCheck = ({ spec }) => {
  const names = (spec.volumes ?? []).filter(volume => volume.hostPath !== undefined).map(volume => volume.name)
  return names.length === 0
    ? undefined
    : { reason: 'hostPath volumes', detail: `${plural(names.length, 'volume', 'volumes')} ${quoteItems(names)}` }
}

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
  return {
    reason: 'hostPort',
    detail: `${containersText(names)} ${uses} ${plural(listed.length, 'hostPort', 'hostPorts')} ${listed.join(', ')}`,
  }
}

/** Baseline: no Windows container runs as a host process. */
export const windowsHostProcess: PodCheck = pod => {
  const setters = settersOf(pod, ({ windowsOptions }) => windowsOptions?.hostProcess === true)
  return setters.length === 0
    ? undefined
    : { reason: 'hostProcess', detail: `${setters.join(' and ')} must not set securityContext.windowsOptions.hostProcess=true` }
}
