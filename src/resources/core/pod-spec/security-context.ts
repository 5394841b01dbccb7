import { invalid, notSupported, required, tooLong } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { isValidGroupId, isValidUserId } from '../../../meta/names.ts'
import { goValue } from '../../shared/go-values.ts'
import type { ApiStruct, Errors } from '../checks.ts'
import { report } from '../checks.ts'
import { checkDescendingPath } from '../volume/paths.ts'
import { checkSysctls } from './sysctls.ts'
import { checkWindowsOptions } from './windows.ts'

const PROFILE_TYPES = ['Localhost', 'RuntimeDefault', 'Unconfined']

export function checkSeccompProfile(profile: ApiStruct, path: FieldPath, errors: Errors): void {
  const type: string = profile.type ?? ''
  if (type === '') errors.push(required(path.child('type'), 'type is required when seccompProfile is set'))
  else if (!PROFILE_TYPES.includes(type)) errors.push(notSupported(path.child('type'), type, PROFILE_TYPES))
  const at = path.child('localhostProfile')
  if (type === 'Localhost') {
    if (profile.localhostProfile === undefined) errors.push(required(at, 'must be set when seccomp type is Localhost'))
    else checkDescendingPath(profile.localhostProfile, at, errors)
  } else if (profile.localhostProfile !== undefined)
    errors.push(invalid(at, goValue('core.SeccompProfile', profile), 'can only be set when seccomp type is Localhost'))
}

export function checkAppArmorProfile(profile: ApiStruct, path: FieldPath, errors: Errors): void {
  const at = path.child('localhostProfile')
  const local: string | undefined = profile.localhostProfile
  if (profile.type === 'Localhost') {
    if (local === undefined) return void errors.push(required(at, 'must be set when AppArmor type is Localhost'))
    if (local.trim() !== local) errors.push(invalid(at, local, 'must not be padded with whitespace'))
    else if (local === '') errors.push(required(at, 'must be set when AppArmor type is Localhost'))
    if (Buffer.byteLength(local) > 4095) errors.push(tooLong(at, 4095))
  } else if (!profile.type) errors.push(required(path.child('type'), 'type is required when appArmorProfile is set'))
  else if (!PROFILE_TYPES.includes(profile.type)) errors.push(notSupported(path.child('type'), profile.type, PROFILE_TYPES))
  else if (local !== undefined) errors.push(invalid(at, local, 'can only be set when AppArmor type is Localhost'))
}

/** SecurityContext of a container; `hostUsers`: the pod runs in the host's user namespace. */
export function checkSecurityContext(context: ApiStruct, hostUsers: boolean, path: FieldPath, errors: Errors): void {
  if (context.runAsUser !== undefined) report(isValidUserId(context.runAsUser), path.child('runAsUser'), context.runAsUser, errors)
  if (context.runAsGroup !== undefined) report(isValidGroupId(context.runAsGroup), path.child('runAsGroup'), context.runAsGroup, errors)
  const procMount: string | undefined = context.procMount
  if (procMount !== undefined) {
    if (procMount !== 'Default' && procMount !== 'Unmasked') errors.push(notSupported(path.child('procMount'), procMount, ['Default', 'Unmasked']))
    if (hostUsers && procMount === 'Unmasked') errors.push(invalid(path.child('procMount'), procMount, '`hostUsers` must be false to use `Unmasked`'))
  }
  if (context.seccompProfile) checkSeccompProfile(context.seccompProfile, path.child('seccompProfile'), errors)
  if (context.allowPrivilegeEscalation === false) {
    if (context.privileged)
      errors.push(invalid(path, goValue('core.SecurityContext', context), 'cannot set `allowPrivilegeEscalation` to false and `privileged` to true'))
    for (const capability of context.capabilities?.add ?? []) {
      if (capability === 'CAP_SYS_ADMIN')
        errors.push(
          invalid(path, goValue('core.SecurityContext', context), 'cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN'),
        )
    }
  }
  if (context.windowsOptions) checkWindowsOptions(context.windowsOptions, path.child('windowsOptions'), errors)
  if (context.appArmorProfile) checkAppArmorProfile(context.appArmorProfile, path.child('appArmorProfile'), errors)
}

export interface PodSecurityOptions {
  readonly allowHostNamespaceSysctls: boolean
  readonly allowAnySELinuxChangePolicy: boolean
}

const oneOf = (value: string | undefined, values: readonly string[], path: FieldPath, errors: Errors): void => {
  if (value !== undefined && !values.includes(value)) errors.push(notSupported(path, value, values))
}

/** PodSecurityContext, with what lies beside it in the spec. */
export function checkPodSecurityContext(spec: ApiStruct, path: FieldPath, options: PodSecurityOptions, errors: Errors): void {
  const context = spec.securityContext
  if (!context) return
  if (context.fsGroup !== undefined) report(isValidGroupId(context.fsGroup), path.child('fsGroup'), context.fsGroup, errors)
  if (context.runAsUser !== undefined) report(isValidUserId(context.runAsUser), path.child('runAsUser'), context.runAsUser, errors)
  if (context.runAsGroup !== undefined) report(isValidGroupId(context.runAsGroup), path.child('runAsGroup'), context.runAsGroup, errors)
  const groups: number[] = context.supplementalGroups ?? []
  groups.forEach((gid, i) => {
    report(isValidGroupId(gid), path.child('supplementalGroups').index(i), gid, errors)
  })
  if (spec.shareProcessNamespace && spec.hostPID) {
    errors.push(invalid(path.child('shareProcessNamespace'), true, 'ShareProcessNamespace and HostPID cannot both be enabled'))
  }
  if (context.sysctls?.length) checkSysctls(spec, path.child('sysctls'), options.allowHostNamespaceSysctls, errors)
  oneOf(context.fsGroupChangePolicy, ['Always', 'OnRootMismatch'], path.child('fsGroupChangePolicy'), errors)
  if (context.seccompProfile) checkSeccompProfile(context.seccompProfile, path.child('seccompProfile'), errors)
  if (context.windowsOptions) checkWindowsOptions(context.windowsOptions, path.child('windowsOptions'), errors)
  if (context.appArmorProfile) checkAppArmorProfile(context.appArmorProfile, path.child('appArmorProfile'), errors)
  oneOf(context.supplementalGroupsPolicy, ['Merge', 'Strict'], path.child('supplementalGroupsPolicy'), errors)
  const policies = options.allowAnySELinuxChangePolicy ? ['MountOption', 'Recursive'] : ['Recursive']
  oneOf(context.seLinuxChangePolicy, policies, path.child('seLinuxChangePolicy'), errors)
}
