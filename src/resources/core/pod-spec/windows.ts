import type { PodSecurityContext, PodSpec, SecurityContext, WindowsSecurityContextOptions } from '../../../api/core/v1.types.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { forbidden, invalid } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { isDns1123Subdomain } from '../../../meta/names.ts'
import { containersWithPath } from './visit.ts'

const NETBIOS_DOMAIN = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/
const DNS_LABEL = '[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?'
const DNS_DOMAIN = new RegExp(`^${DNS_LABEL}(?:\\.${DNS_LABEL})*$`)

/**
 * Validates WindowsSecurityContextOptions. A credential spec has at most 64 KiB in UTF-8. validateHostProcess checks
 * that containers agree on hostProcess. Source: pkg/apis/core/validation in k8s.io/kubernetes.
 */
export function validateWindowsOptions(options: WindowsSecurityContextOptions, path: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  const { gmsaCredentialSpecName, gmsaCredentialSpec, runAsUserName } = options
  if (gmsaCredentialSpecName !== undefined)
    for (const text of isDns1123Subdomain(gmsaCredentialSpecName))
      errors.push(invalid(path.child('gmsaCredentialSpecName'), gmsaCredentialSpecName, text))
  if (gmsaCredentialSpec !== undefined) {
    const at = path.child('gmsaCredentialSpec')
    if (gmsaCredentialSpec === '') errors.push(invalid(at, '', 'gmsaCredentialSpec cannot be an empty string'))
    else if (Buffer.byteLength(gmsaCredentialSpec) > 64 * 1024)
      errors.push(invalid(at, gmsaCredentialSpec, 'gmsaCredentialSpec size must be under 64 KiB'))
  }
  if (runAsUserName !== undefined)
    for (const text of userNameErrors(runAsUserName)) errors.push(invalid(path.child('runAsUserName'), runAsUserName, text))
  return errors
}

/**
 * Returns the errors in a `user` or `DOMAIN\user`. An empty name, a control character or a second backslash is reported
 * alone.
 */
function userNameErrors(name: string): string[] {
  if (name === '') return ['runAsUserName cannot be an empty string']
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  if (/[\u0000-\u001f\u007f]/.test(name)) return ['runAsUserName cannot contain control characters']
  const [first = '', second, ...more] = name.split('\\')
  if (more.length > 0) return ['runAsUserName cannot contain more than one backslash']
  const [domain, user] = second === undefined ? [undefined, first] : [first, second]
  const texts: string[] = []
  if (domain !== undefined && domain.length >= 256) texts.push("runAsUserName's Domain length must be under 256 characters")
  if (domain !== undefined && !NETBIOS_DOMAIN.test(domain) && !DNS_DOMAIN.test(domain)) {
    texts.push("runAsUserName's Domain doesn't match the NetBios nor the DNS format")
  }
  if (user === '') texts.push("runAsUserName's User cannot be empty")
  else if (user.length > 104) texts.push("runAsUserName's User length must not be longer than 104 characters")
  if (/^[. ]+$/.test(user)) texts.push("runAsUserName's User cannot contain only periods or spaces")
  if (/["/\\:;|=,+*?<>@[\]]/.test(user)) texts.push('runAsUserName\'s User cannot contain the following characters: "/\\:;|=,+*?<>@[]')
  return texts
}

/**
 * Checks that all containers of a pod are host processes or none is. Host processes require hostNetwork. A container
 * without the field inherits that of the pod.
 */
export function validateHostProcess(spec: PodSpec, path: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  const ofPod = spec.securityContext?.windowsOptions?.hostProcess
  let count = 0
  let hostProcesses = 0
  for (const [container, at] of containersWithPath(spec, path)) {
    count++
    const own = container.securityContext?.windowsOptions?.hostProcess
    if (ofPod !== undefined && own !== undefined && ofPod !== own) {
      const text = `pod hostProcess value must be identical if both are specified, was ${ofPod}`
      errors.push(invalid(at.child('securityContext', 'windowsOptions', 'hostProcess'), own, text))
    }
    if (own ?? ofPod) hostProcesses++
  }
  if (hostProcesses === 0) return errors
  if (hostProcesses !== count)
    errors.push(invalid(path, '', 'If pod contains any hostProcess containers then all containers must be HostProcess containers'))
  if (!spec.hostNetwork)
    errors.push(invalid(path.child('hostNetwork'), false, 'hostNetwork must be true if pod contains any hostProcess containers'))
  return errors
}

const NOT_FOR_WINDOWS = 'cannot be set for a windows pod'
const NOT_FOR_LINUX = 'windows options cannot be set for a linux pod'
type PodField = readonly ['securityContext', keyof PodSecurityContext] | readonly ['spec', keyof PodSpec]
/**
 * Fields that are forbidden on Windows, in upstream's order: those of the pod's security context, and some of the spec.
 */
const POD_FIELDS: readonly PodField[] = [
  ['securityContext', 'appArmorProfile'],
  ['securityContext', 'seLinuxOptions'],
  ['spec', 'hostUsers'],
  ['spec', 'hostPID'],
  ['spec', 'hostIPC'],
  ['securityContext', 'seccompProfile'],
  ['securityContext', 'fsGroup'],
  ['securityContext', 'fsGroupChangePolicy'],
  ['securityContext', 'sysctls'],
  ['spec', 'shareProcessNamespace'],
  ['securityContext', 'runAsUser'],
  ['securityContext', 'runAsGroup'],
  ['securityContext', 'supplementalGroups'],
  ['securityContext', 'supplementalGroupsPolicy'],
  ['securityContext', 'seLinuxChangePolicy'],
]
const CONTAINER_FIELDS: readonly (keyof SecurityContext)[] = [
  'appArmorProfile',
  'seLinuxOptions',
  'seccompProfile',
  'capabilities',
  'readOnlyRootFilesystem',
  'privileged',
  'allowPrivilegeEscalation',
  'procMount',
  'runAsUser',
  'runAsGroup',
]

/** Rejects fields that a Linux pod may not have. */
export function validateLinuxPod(spec: PodSpec, path: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  if (spec.securityContext?.windowsOptions) errors.push(forbidden(path.child('securityContext', 'windowsOptions'), NOT_FOR_LINUX))
  for (const [container, at] of containersWithPath(spec, path)) {
    if (container.securityContext?.windowsOptions) errors.push(forbidden(at.child('securityContext', 'windowsOptions'), NOT_FOR_LINUX))
  }
  return errors
}

/** Rejects fields that a Windows pod may not have. */
export function validateWindowsPod(spec: PodSpec, path: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  for (const [parent, field] of POD_FIELDS) {
    const value = parent === 'spec' ? spec[field] : spec.securityContext?.[field]
    if (value !== undefined) errors.push(forbidden(parent === 'spec' ? path.child(field) : path.child(parent, field), NOT_FOR_WINDOWS))
  }
  for (const [container, at] of containersWithPath(spec, path)) {
    for (const field of CONTAINER_FIELDS) {
      if (container.securityContext?.[field] !== undefined) errors.push(forbidden(at.child('securityContext', field), NOT_FOR_WINDOWS))
    }
  }
  return errors
}
