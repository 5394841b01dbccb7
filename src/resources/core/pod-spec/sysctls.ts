import { duplicate, invalid, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import type { ApiStruct, Errors } from '../checks.ts'

const SEGMENT = '[a-z0-9]([-_a-z0-9]*[a-z0-9])?'
const FORM = `^(${SEGMENT}[\\./])*${SEGMENT}$`
const FORM_REGEX = new RegExp(FORM)

/** The kernel namespace that a sysctl belongs to; names may be written with slashes. */
export function sysctlNamespace(name: string): 'ipc' | 'net' | undefined {
  const dot = name.search(/[./]/)
  // With a slash first, slashes separate and dots are part of segments; otherwise the other way round.
  const normalised = dot >= 0 && name[dot] === '/' ? name.replace(/[./]/g, c => (c === '/' ? '.' : '/')) : name
  if (normalised.startsWith('net.')) return 'net'
  return normalised === 'kernel.sem' || /^(kernel\.shm|kernel\.msg|fs\.mqueue\.)/.test(normalised) ? 'ipc' : undefined
}

export function checkSysctls(spec: ApiStruct, path: FieldPath, allowHostNamespaces: boolean, errors: Errors): void {
  const seen = new Set<string>()
  const sysctls: ApiStruct[] = spec.securityContext.sysctls
  sysctls.forEach((sysctl, i) => {
    const name: string = sysctl.name ?? ''
    const at = path.index(i).child('name')
    if (name === '') errors.push(required(at))
    else if (name.length > 253 || !FORM_REGEX.test(name)) errors.push(invalid(at, name, `must have at most 253 characters and match regex ${FORM}`))
    else if (seen.has(name)) errors.push(duplicate(at, name))
    if (!allowHostNamespaces) {
      const namespace = sysctlNamespace(name)
      if (spec.hostNetwork && namespace === 'net') errors.push(invalid(at, name, "may not be specified when 'hostNetwork' is true"))
      else if (spec.hostIPC && namespace === 'ipc') errors.push(invalid(at, name, "may not be specified when 'hostIPC' is true"))
    }
    seen.add(name)
  })
}
