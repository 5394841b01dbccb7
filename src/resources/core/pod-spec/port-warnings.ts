import type { ContainerPort, PodSpec } from '../../../api/core/v1.types.ts'
import { quote } from '../../../lib/go-quote.ts'
import { isStepDone, type Steps } from '../../../lib/steps.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { containersWithPath } from './visit.ts'

/** Limit on the ports of one number that others are compared with. A request body has room for tens of thousands. */
const MOST_COMPARED = 200
/** Limit on the text of the warnings for ports, in characters. A response carries 4,096 at most. */
const MOST_TEXT = 8192

/** Warnings for duplicate ports, and for ports that may collide, across all containers of a spec, in steps. */
export function* portWarnings(spec: PodSpec, path: FieldPath): Steps<string[]> {
  const warnings: string[] = []
  let room = MOST_TEXT
  const warn = (text: string): void => {
    room -= text.length
    warnings.push(text)
  }
  const known = new Map<string, { port: ContainerPort; path: FieldPath }[]>()
  for (const [container, containerPath] of containersWithPath(spec, path)) {
    for (const [i, port] of (container.ports ?? []).entries()) {
      if (room <= 0) return warnings
      if (isStepDone()) yield
      const at = containerPath.child('ports').index(i)
      if (port.hostIP && !port.hostPort) warn(`${at}: hostIP set without hostPort: ${goPort(port)}`)
      const key = `${port.containerPort}/${port.protocol}`
      const others = known.get(key) ?? []
      for (const other of others) {
        if (isStepDone()) yield
        const text = collision(port, other.port)
        if (text) warn(`${at}: ${text} port definition with ${other.path}`)
      }
      if (others.length < MOST_COMPARED) others.push({ port, path: at })
      known.set(key, others)
    }
  }
  return warnings
}

/** Warnings for names that several ports of a spec have, in steps. Since 1.33. */
export function* portNameWarnings(spec: PodSpec, path: FieldPath): Steps<string[]> {
  const warnings: string[] = []
  const known = new Map<string, FieldPath>()
  for (const [container, containerPath] of containersWithPath(spec, path)) {
    for (const [i, { name = '' }] of (container.ports ?? []).entries()) {
      if (isStepDone()) yield
      if (name === '') continue
      const at = containerPath.child('ports').index(i)
      const other = known.get(name)
      if (other === undefined) known.set(name, at)
      else
        warnings.push(
          `${at}: duplicate port name ${quote(name)} with ${other}, services and probes that select ports by name will use ${other}`,
        )
    }
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
