import type { ContainerPort, PodSpec } from '../../../api/core/v1.types.ts'
import { quote } from '../../../lib/go-quote.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { containersWithPath } from './visit.ts'

/** Warnings for duplicate ports, and for ports that may collide, across all containers of a spec. */
export function portWarnings(spec: PodSpec, path: FieldPath): string[] {
  const warnings: string[] = []
  const known = new Map<string, { port: ContainerPort; path: FieldPath }[]>()
  for (const [container, containerPath] of containersWithPath(spec, path)) {
    container.ports?.forEach((port, i) => {
      const at = containerPath.child('ports').index(i)
      if (port.hostIP && !port.hostPort) warnings.push(`${at}: hostIP set without hostPort: ${goPort(port)}`)
      const key = `${port.containerPort}/${port.protocol}`
      const others = known.get(key) ?? []
      for (const other of others) {
        const text = collision(port, other.port)
        if (text) warnings.push(`${at}: ${text} port definition with ${other.path}`)
      }
      known.set(key, [...others, { port, path: at }])
    })
  }
  return warnings
}

/** Warnings for names that several ports of a spec have. Since 1.33. */
export function portNameWarnings(spec: PodSpec, path: FieldPath): string[] {
  const warnings: string[] = []
  const known = new Map<string, FieldPath>()
  for (const [container, containerPath] of containersWithPath(spec, path)) {
    container.ports?.forEach(({ name = '' }, i) => {
      if (name === '') return
      const at = containerPath.child('ports').index(i)
      const other = known.get(name)
      if (other === undefined) known.set(name, at)
      else
        warnings.push(
          `${at}: duplicate port name ${quote(name)} with ${other}, services and probes that select ports by name will use ${other}`,
        )
    })
  }
  return warnings
}

/**
 * Describes how two definitions of a container port and protocol collide. Undefined if host ports or addresses
 * distinguish them.
 */
function collision(a: ContainerPort, b: ContainerPort): string | undefined {
  const [ipA, ipB] = [a.hostIP ?? '', b.hostIP ?? '']
  const [portA, portB] = [a.hostPort ?? 0, b.hostPort ?? 0]
  if (ipA === ipB && portA === portB) return 'duplicate'
  if (portA === 0 || portB === 0) return 'overlapping'
  return portA === portB && (ipA === '') !== (ipB === '') ? 'dangerously ambiguous' : undefined
}

const goPort = (port: ContainerPort): string =>
  `{Name:${port.name ?? ''} HostPort:${port.hostPort ?? 0} ContainerPort:${port.containerPort} Protocol:${port.protocol} HostIP:${port.hostIP ?? ''}}`
