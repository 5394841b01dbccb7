import type { AppArmorProfile, PodSpec, SeccompProfile, SecurityContext } from '../../../api/core/v1.types.ts'
import { enumValues } from '../../../catalog/types.ts'
import { isStepDone, type Steps } from '../../../lib/steps.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { invalid, notSupported, required, tooLongError } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { isValidGroupId, isValidUserId } from '../../../meta/names.ts'
import { goValue } from '../../shared/go-values.ts'
import { validateOneOf } from '../../shared/word-lists.ts'
import { validateDescendingPath } from '../volume/paths.ts'
import { validateSysctls } from './sysctls.ts'
import { validateWindowsOptions } from './windows.ts'

const PROC_MOUNTS = enumValues('core.ProcMountType')
const FS_GROUP_CHANGE_POLICIES = enumValues('core.PodFSGroupChangePolicy')
const SUPPLEMENTAL_GROUPS_POLICIES = enumValues('core.SupplementalGroupsPolicy')
const PROFILE_TYPES = enumValues('core.SeccompProfileType')

/** Validates a seccomp profile. A local profile is a path relative to the kubelet’s directory, without `..`. */
export function validateSeccompProfile(profile: SeccompProfile, path: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  const { type } = profile
  if (type === '') errors.push(required(path.child('type'), 'type is required when seccompProfile is set'))
  else if (!PROFILE_TYPES.includes(type)) errors.push(notSupported(path.child('type'), type, PROFILE_TYPES))
  const at = path.child('localhostProfile')
  if (type === 'Localhost') {
    if (profile.localhostProfile === undefined) errors.push(required(at, 'must be set when seccomp type is Localhost'))
    else errors.push(...validateDescendingPath(profile.localhostProfile, at))
  } else if (profile.localhostProfile !== undefined)
    errors.push(invalid(at, goValue('core.SeccompProfile', profile), 'can only be set when seccomp type is Localhost'))
  return errors
}

/**
 * Validates an AppArmor profile. A local profile has a name of at most 4,095 bytes without surrounding space. Only the
 * type Localhost has a name.
 */
export function validateAppArmorProfile(profile: AppArmorProfile, path: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  const at = path.child('localhostProfile')
  const local = profile.localhostProfile
  if (profile.type === 'Localhost') {
    if (local === undefined) return [...errors, required(at, 'must be set when AppArmor type is Localhost')]
    if (local.trim() !== local) errors.push(invalid(at, local, 'must not be padded with whitespace'))
    else if (local === '') errors.push(required(at, 'must be set when AppArmor type is Localhost'))
    if (Buffer.byteLength(local) > 4095) errors.push(tooLongError(at, 4095))
  } else if (!profile.type) errors.push(required(path.child('type'), 'type is required when appArmorProfile is set'))
  else if (!PROFILE_TYPES.includes(profile.type)) errors.push(notSupported(path.child('type'), profile.type, PROFILE_TYPES))
  else if (local !== undefined) errors.push(invalid(at, local, 'can only be set when AppArmor type is Localhost'))
  return errors
}

/**
 * Validates the SecurityContext of a container. `keepsProcMasked` is set if the pod runs in the host’s user namespace,
 * which excludes an unmasked /proc. Without privilege escalation a container may be neither privileged nor have
 * CAP_SYS_ADMIN; SYS_ADMIN without the prefix is accepted. Source: pkg/apis/core/validation in k8s.io/kubernetes.
 */
export function validateSecurityContext(context: SecurityContext, keepsProcMasked: boolean, path: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  if (context.runAsUser !== undefined)
    for (const text of isValidUserId(context.runAsUser)) errors.push(invalid(path.child('runAsUser'), context.runAsUser, text))
  if (context.runAsGroup !== undefined)
    for (const text of isValidGroupId(context.runAsGroup)) errors.push(invalid(path.child('runAsGroup'), context.runAsGroup, text))
  const { procMount } = context
  if (procMount !== undefined) {
    errors.push(...validateOneOf(procMount, PROC_MOUNTS, path.child('procMount')))
    if (keepsProcMasked && procMount === 'Unmasked')
      errors.push(invalid(path.child('procMount'), procMount, '`hostUsers` must be false to use `Unmasked`'))
  }
  if (context.seccompProfile) errors.push(...validateSeccompProfile(context.seccompProfile, path.child('seccompProfile')))
  if (context.allowPrivilegeEscalation === false) {
    if (context.privileged)
      errors.push(
        invalid(path, goValue('core.SecurityContext', context), 'cannot set `allowPrivilegeEscalation` to false and `privileged` to true'),
      )
    for (const capability of context.capabilities?.add ?? []) {
      if (capability === 'CAP_SYS_ADMIN')
        errors.push(
          invalid(
            path,
            goValue('core.SecurityContext', context),
            'cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN',
          ),
        )
    }
  }
  if (context.windowsOptions) errors.push(...validateWindowsOptions(context.windowsOptions, path.child('windowsOptions')))
  if (context.appArmorProfile) errors.push(...validateAppArmorProfile(context.appArmorProfile, path.child('appArmorProfile')))
  return errors
}

/** Rules that depend on gates and on the old object. */
export interface PodSecurityOptions {
  readonly allowHostNamespaceSysctls: boolean
  readonly allowAnySELinuxChangePolicy: boolean
}

/**
 * Validates the PodSecurityContext at `path` in steps, with hostPID, hostNetwork and hostIPC of the spec.
 * Source: pkg/apis/core/validation in k8s.io/kubernetes.
 */
export function* validatePodSecurityContext(spec: PodSpec, path: FieldPath, options: PodSecurityOptions): Steps<FieldError[]> {
  const context = spec.securityContext
  if (!context) return []
  const errors: FieldError[] = []
  if (context.fsGroup !== undefined)
    for (const text of isValidGroupId(context.fsGroup)) errors.push(invalid(path.child('fsGroup'), context.fsGroup, text))
  if (context.runAsUser !== undefined)
    for (const text of isValidUserId(context.runAsUser)) errors.push(invalid(path.child('runAsUser'), context.runAsUser, text))
  if (context.runAsGroup !== undefined)
    for (const text of isValidGroupId(context.runAsGroup)) errors.push(invalid(path.child('runAsGroup'), context.runAsGroup, text))
  for (const [i, gid] of (context.supplementalGroups ?? []).entries()) {
    if (isStepDone()) yield
    for (const text of isValidGroupId(gid)) errors.push(invalid(path.child('supplementalGroups').index(i), gid, text))
  }
  if (spec.shareProcessNamespace && spec.hostPID) {
    errors.push(invalid(path.child('shareProcessNamespace'), true, 'ShareProcessNamespace and HostPID cannot both be enabled'))
  }
  if (context.sysctls?.length)
    errors.push(...(yield* validateSysctls(context.sysctls, spec, path.child('sysctls'), options.allowHostNamespaceSysctls)))
  errors.push(...validateOneOf(context.fsGroupChangePolicy, FS_GROUP_CHANGE_POLICIES, path.child('fsGroupChangePolicy')))
  if (context.seccompProfile) errors.push(...validateSeccompProfile(context.seccompProfile, path.child('seccompProfile')))
  if (context.windowsOptions) errors.push(...validateWindowsOptions(context.windowsOptions, path.child('windowsOptions')))
  if (context.appArmorProfile) errors.push(...validateAppArmorProfile(context.appArmorProfile, path.child('appArmorProfile')))
  errors.push(...validateOneOf(context.supplementalGroupsPolicy, SUPPLEMENTAL_GROUPS_POLICIES, path.child('supplementalGroupsPolicy')))
  const policies = options.allowAnySELinuxChangePolicy ? ['MountOption', 'Recursive'] : ['Recursive']
  errors.push(...validateOneOf(context.seLinuxChangePolicy, policies, path.child('seLinuxChangePolicy')))
  return errors
}
