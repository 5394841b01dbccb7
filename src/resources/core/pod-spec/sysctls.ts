import type { PodSpec, Sysctl } from '../../../api/core/v1.types.ts'
import { isLongStepDone, type Steps } from '../../../lib/steps.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { duplicate, invalid, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'

const SEGMENT = '[a-z0-9]([-_a-z0-9]*[a-z0-9])?'
const FORM = `^(${SEGMENT}[\\./])*${SEGMENT}$`
const FORM_REGEX = new RegExp(FORM)

/** Returns the kernel namespace of a sysctl. Its name may be written with slashes. */
export function sysctlNamespace(name: string): 'ipc' | 'net' | undefined {
  const dot = name.search(/[./]/)
  // If a slash comes first, slashes separate segments and dots belong to them; otherwise the reverse.
  const normalised = dot >= 0 && name[dot] === '/' ? name.replace(/[./]/g, c => (c === '/' ? '.' : '/')) : name
  if (normalised.startsWith('net.')) return 'net'
  return normalised === 'kernel.sem' || /^(kernel\.shm|kernel\.msg|fs\.mqueue\.)/.test(normalised) ? 'ipc' : undefined
}

/**
 * Validates sysctls in steps. Names must be unique in canonical form, and those of a namespace that the pod shares with
 * its host are rejected. Source: pkg/apis/core/validation in k8s.io/kubernetes.
 */
export function* validateSysctls(
  sysctls: readonly Sysctl[],
  spec: PodSpec,
  path: FieldPath,
  allowHostNamespaces: boolean,
): Steps<FieldError[]> {
  const errors: FieldError[] = []
  const seen = new Set<string>()
  for (const [i, sysctl] of sysctls.entries()) {
    if (isLongStepDone()) yield
    const { name } = sysctl
    const at = path.index(i).child('name')
    if (name === '') errors.push(required(at))
    else if (name.length > 253 || !FORM_REGEX.test(name))
      errors.push(invalid(at, name, `must have at most 253 characters and match regex ${FORM}`))
    else if (seen.has(name)) errors.push(duplicate(at, name))
    if (!allowHostNamespaces) {
      const namespace = sysctlNamespace(name)
      if (spec.hostNetwork && namespace === 'net') errors.push(invalid(at, name, "may not be specified when 'hostNetwork' is true"))
      else if (spec.hostIPC && namespace === 'ipc') errors.push(invalid(at, name, "may not be specified when 'hostIPC' is true"))
    }
    seen.add(name)
  }
  return errors
}
