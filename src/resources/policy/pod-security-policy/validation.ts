import type {
  AllowedHostPath,
  IDRange,
  PodSecurityPolicy,
  PodSecurityPolicySpec,
  RunAsGroupStrategyOptions,
  RuntimeClassStrategyOptions,
} from '../../../api/policy/v1beta1.types.ts'
import { enumValues } from '../../../catalog/types.ts'
import { quote } from '../../../lib/go-quote.ts'
import type { Steps } from '../../../lib/steps.ts'
import { duplicate, type FieldError, invalid, notSupported, required, verbatim } from '../../../meta/field-error.ts'
import { type FieldPath, fieldPath } from '../../../meta/field-path.ts'
import { nameIsDnsSubdomain } from '../../../meta/names.ts'
import { appArmorNameError, validateSeccompName } from '../../core/pod-spec/annotations.ts'
import { validateCsiDriverName } from '../../core/volume/sources.ts'
import { goStringList } from '../../shared/go-syntax.ts'
import { validateOverlap, validateSysctlPatterns } from './sysctls.ts'

const ANY = '*'
const SELINUX_RULES = ['MustRunAs', 'RunAsAny']
const USER_RULES = ['MustRunAs', 'MustRunAsNonRoot', 'RunAsAny']
const GROUP_RULES = ['MayRunAs', 'MustRunAs', 'RunAsAny']
/** Rules in the order of messages. */
const RUN_AS_GROUP_RULES = ['MustRunAs', 'RunAsAny', 'MayRunAs']
const PROC_MOUNTS = enumValues('core.ProcMountType')
const VOLUMES = [
  ...[
    ANY,
    'awsElasticBlockStore',
    'azureDisk',
    'azureFile',
    'cephFS',
    'cinder',
    'configMap',
    'csi',
    'downwardAPI',
    'emptyDir',
    'ephemeral',
    'fc',
  ],
  ...['flexVolume', 'flocker', 'gcePersistentDisk', 'gitRepo', 'glusterfs', 'hostPath', 'iscsi', 'nfs', 'persistentVolumeClaim'],
  ...['photonPersistentDisk', 'portworxVolume', 'projected', 'quobyte', 'rbd', 'scaleIO', 'secret', 'storageos', 'vsphereVolume'],
]
const APP_ARMOR = 'apparmor.security.beta.kubernetes.io/'
const SECCOMP = 'seccomp.security.alpha.kubernetes.io/'

/** Validates default and allowed profiles. The latter are lists separated by commas. */
function validateAnnotations(annotations: Readonly<Record<string, string>>, path: FieldPath): FieldError[] {
  const at = (name: string): { readonly value: string; readonly path: FieldPath } => ({
    value: annotations[name] ?? '',
    path: path.key(name),
  })
  const listed = (text: string): string[] => (text === '' ? [] : text.split(','))
  const defaultArmor = at(`${APP_ARMOR}defaultProfileName`)
  const allowedArmor = at(`${APP_ARMOR}allowedProfileNames`)
  const defaultSeccomp = at(`${SECCOMP}defaultProfileName`)
  const allowedSeccomp = at(`${SECCOMP}allowedProfileNames`)
  const armor = (profile: string, given: { readonly value: string; readonly path: FieldPath }): FieldError[] => {
    const error = appArmorNameError(profile)
    return error === undefined ? [] : [invalid(given.path, given.value, error)]
  }
  return [
    ...armor(defaultArmor.value, defaultArmor),
    ...listed(allowedArmor.value).flatMap(profile => armor(profile, allowedArmor)),
    ...(defaultSeccomp.value === '' ? [] : validateSeccompName(defaultSeccomp.value, defaultSeccomp.path)),
    ...listed(allowedSeccomp.value).flatMap(profile => (profile === ANY ? [] : validateSeccompName(profile, allowedSeccomp.path))),
  ]
}

const validateRange = ({ min, max }: IDRange, path: FieldPath): FieldError[] => [
  ...(min < 0 ? [invalid(path.child('min'), min, 'min cannot be negative')] : []),
  ...(max < 0 ? [invalid(path.child('max'), max, 'max cannot be negative')] : []),
  ...(min > max ? [invalid(path.child('min'), min, 'min cannot be greater than max')] : []),
]

const validateRanges = (ranges: readonly IDRange[] = [], path: FieldPath): FieldError[] =>
  ranges.flatMap((range, i) => validateRange(range, path.child('ranges').index(i)))

const validateStrategyRule = (rule: string | undefined, rules: readonly string[], path: FieldPath): FieldError[] =>
  rules.includes(rule ?? '') ? [] : [notSupported(path.child('rule'), rule ?? '', rules)]

const goRanges = (ranges: readonly IDRange[] | undefined): string =>
  ranges
    ? `[]policy.IDRange{${ranges.map(({ min, max }) => `policy.IDRange{Min:${min}, Max:${max}}`).join(', ')}}`
    : '[]policy.IDRange(nil)'

/** Validates the group rule. Unlike for other rules, RunAsAny has no ranges here, and the others must have some. */
function validateRunAsGroup(options: RunAsGroupStrategyOptions | undefined, path: FieldPath): FieldError[] {
  if (!options) return []
  const { rule, ranges } = options
  const at = path.child('ranges')
  const isEmpty = (ranges ?? []).length === 0
  if (rule === 'RunAsAny') return isEmpty ? [] : [invalid(at, verbatim(goRanges(ranges)), 'Ranges must be empty')]
  if (!RUN_AS_GROUP_RULES.includes(rule)) return [notSupported(path.child('rule'), rule, RUN_AS_GROUP_RULES)]
  return [...(isEmpty ? [invalid(at, verbatim(goRanges(ranges)), 'must provide at least one range')] : []), ...validateRanges(ranges, path)]
}

/** Validates host paths, which are required and have no `..`. Validation stops at the first missing one. */
function validateHostPaths(paths: readonly AllowedHostPath[] = [], path: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  for (const [i, { pathPrefix = '' }] of paths.entries()) {
    if (pathPrefix === '') return [...errors, required(path.index(i), 'is required')]
    if (pathPrefix.split('/').includes('..')) errors.push(invalid(path.index(i), pathPrefix, "must not contain '..'"))
  }
  return errors
}

/** Upstream’s paths of capabilities begin at the list, without the spec. */
function validateCapabilities({
  requiredDropCapabilities: drops,
  defaultAddCapabilities,
  allowedCapabilities,
}: PodSecurityPolicySpec): FieldError[] {
  const dropped = new Set(drops)
  const notDropped = (name: string, capabilities: readonly string[] = []): FieldError[] =>
    capabilities
      .filter(capability => dropped.has(capability))
      .map(capability => invalid(fieldPath(name), capability, `capability is listed in ${name} and requiredDropCapabilities`))
  return [
    ...(dropped.size > 0 && allowedCapabilities?.includes(ANY)
      ? [
          invalid(
            fieldPath('requiredDropCapabilities'),
            goStringList(drops, '[]core.Capability'),
            'must be empty when all capabilities are allowed by a wildcard',
          ),
        ]
      : []),
    ...notDropped('defaultAddCapabilities', defaultAddCapabilities),
    ...notDropped('allowedCapabilities', allowedCapabilities),
  ]
}

/** Validates runtime classes. Names are unique, and the default is one of them. */
function validateRuntimeClass(options: RuntimeClassStrategyOptions | undefined, path: FieldPath): FieldError[] {
  if (!options) return []
  const names = options.allowedRuntimeClassNames ?? []
  const at = path.child('allowedRuntimeClassNames')
  const nameErrors = (name: string, where: FieldPath): FieldError[] =>
    nameIsDnsSubdomain(name, false).map(text => invalid(where, name, text))
  const allowed = new Set<string>()
  const errors: FieldError[] = []
  for (const [i, name] of names.entries()) {
    if (name !== ANY) errors.push(...nameErrors(name, at.index(i)))
    if (allowed.has(name)) errors.push(duplicate(at.index(i), name))
    allowed.add(name)
  }
  const { defaultRuntimeClassName: preset } = options
  if (preset !== undefined) {
    errors.push(...nameErrors(preset, path.child('defaultRuntimeClassName')))
    if (!allowed.has(preset) && !allowed.has(ANY)) errors.push(required(at, `default ${quote(preset)} must be allowed`))
  }
  if (allowed.has(ANY) && names.length > 1) errors.push(invalid(at, names, "if '*' is present, must not specify other RuntimeClass names"))
  return errors
}

/**
 * Validates a policy, on create and on update. Runs in steps, for the lists of sysctls. Source:
 * pkg/apis/policy/validation in k8s.io/kubernetes.
 */
export function* validatePodSecurityPolicy({ metadata, spec }: PodSecurityPolicy): Steps<FieldError[]> {
  const path = fieldPath('spec')
  const { defaultAllowPrivilegeEscalation: escalates, allowedUnsafeSysctls = [], forbiddenSysctls = [] } = spec
  const sysctls = { list: allowedUnsafeSysctls, path: path.child('allowedUnsafeSysctls') }
  const forbidden = { list: forbiddenSysctls, path: path.child('forbiddenSysctls') }
  return [
    ...validateAnnotations(metadata.annotations ?? {}, fieldPath('metadata', 'annotations')),
    ...validateStrategyRule(spec.runAsUser.rule, USER_RULES, path.child('runAsUser')),
    ...validateRanges(spec.runAsUser.ranges, path.child('runAsUser')),
    ...validateRunAsGroup(spec.runAsGroup, path.child('runAsGroup')),
    ...validateStrategyRule(spec.seLinux.rule, SELINUX_RULES, path.child('seLinux')),
    ...validateStrategyRule(spec.supplementalGroups.rule, GROUP_RULES, path.child('supplementalGroups')),
    ...validateRanges(spec.supplementalGroups.ranges, path.child('supplementalGroups')),
    ...validateStrategyRule(spec.fsGroup.rule, GROUP_RULES, path.child('fsGroup')),
    ...validateRanges(spec.fsGroup.ranges, path.child('fsGroup')),
    ...(spec.volumes ?? []).filter(volume => !VOLUMES.includes(volume)).map(volume => notSupported(path.child('volumes'), volume, VOLUMES)),
    ...validateCapabilities(spec),
    ...(escalates && spec.allowPrivilegeEscalation === false
      ? [invalid(path.child('defaultAllowPrivilegeEscalation'), true, ESCALATION)]
      : []),
    ...(spec.allowedProcMountTypes ?? []).flatMap((type, i) =>
      PROC_MOUNTS.includes(type) ? [] : [notSupported(path.child('allowedProcMountTypes').index(i), type, PROC_MOUNTS)],
    ),
    ...validateHostPaths(spec.allowedHostPaths, path.child('allowedHostPaths')),
    // Upstream's paths contain the names of these two lists twice.
    ...(spec.allowedFlexVolumes ?? []).flatMap(({ driver }, i) =>
      driver === ''
        ? [required(path.child('allowedFlexVolumes', 'allowedFlexVolumes').index(i).child('driver'), 'must specify a driver')]
        : [],
    ),
    ...(spec.allowedCSIDrivers ?? []).flatMap(({ name }, i) =>
      validateCsiDriverName(name, path.child('allowedCSIDrivers', 'allowedCSIDriver').index(i).child('name')),
    ),
    ...validateSysctlPatterns(allowedUnsafeSysctls, sysctls.path),
    ...validateSysctlPatterns(forbiddenSysctls, forbidden.path),
    ...(yield* validateOverlap(sysctls, forbidden)),
    ...validateRuntimeClass(spec.runtimeClass, path.child('runtimeClass')),
  ]
}

const ESCALATION = 'Cannot set DefaultAllowPrivilegeEscalation to true without also setting AllowPrivilegeEscalation to true'
