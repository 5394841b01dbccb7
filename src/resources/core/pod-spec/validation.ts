import type { HostAlias, PodDNSConfig, PodOS, PodResourceClaim, PodSpec, PodTemplateSpec } from '../../../api/core/v1.types.ts'
import { enumValues } from '../../../catalog/types.ts'
import { isLongStepDone, runAtOnce, type Steps } from '../../../lib/steps.ts'
import { isSince, type Release } from '../../../lifecycle/release.ts'
import { hasFewValues } from '../../../meta/few-values.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { duplicate, forbidden, invalid, notSupported, required, tooLongError, words } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { ipFault } from '../../../meta/ip.ts'
import {
  isDns1123Subdomain,
  isDns1123SubdomainWithUnderscore,
  longerThan,
  nameIsDnsLabel,
  nameIsDnsSubdomain,
} from '../../../meta/names.ts'
import { annotationErrors, labelErrors } from '../../../meta/object-meta-validation.ts'
import type { LegacyAddresses } from '../../shared/legacy-addresses.ts'
import { inclusiveRange, MAX_INT32, validateDnsLabel, validateDnsSubdomain, validateQualifiedName } from '../checks.ts'
import { validateVolumes } from '../volume/validation.ts'
import { validateAffinity } from './affinity.ts'
import { validatePodAnnotations, validateProfilesAgree } from './annotations.ts'
import type { ContainerContext } from './containers.ts'
import { validateContainers, validateEphemeralContainers, validateInitContainers } from './containers.ts'
import { validateFileVolumes } from './environment.ts'
import { validateEvictionResponders } from './eviction-responders.ts'
import type { PodValidationOptions } from './options.ts'
import { validatePodResources } from './pod-level-resources.ts'
import { validateResources } from './resources.ts'
import { validateSchedulingGates, validateSpreadConstraints, validateTolerations } from './scheduling.ts'
import { validatePodSecurityContext } from './security-context.ts'
import { validateHostProcess, validateLinuxPod, validateWindowsPod } from './windows.ts'

const RESTART_POLICIES = enumValues('core.RestartPolicy', 'Always', 'OnFailure')
const DNS_POLICIES = enumValues('core.DNSPolicy', 'ClusterFirstWithHostNet')
/** Longest hostname of a Linux host, in characters. */
const MAX_HOSTNAME = 64
const PREEMPTION_POLICIES = enumValues('core.PreemptionPolicy', 'PreemptLowerPriority')

/** Validates the PodTemplateSpec at `path`. A template has no ephemeral containers, which belong to running pods. */
export const validatePodTemplateSpec = (template: PodTemplateSpec, path: FieldPath, options: PodValidationOptions): FieldError[] =>
  foundInSteps.get(template) ?? runAtOnce(podTemplateErrors(template, path, options))

/**
 * Errors of large templates that were validated in steps. The rules of their kinds, which run in one call, report them.
 */
const foundInSteps = new WeakMap<PodTemplateSpec, FieldError[]>()

/** Validates a template in steps if it is large, before `validatePodTemplateSpec` with the same arguments. */
export function* validateLargeTemplate(template: PodTemplateSpec, path: FieldPath, options: PodValidationOptions): Steps<void> {
  if (!hasFewValues(template)) foundInSteps.set(template, yield* podTemplateErrors(template, path, options))
}

/** `validatePodTemplateSpec` in steps. */
export function* podTemplateErrors(template: PodTemplateSpec, path: FieldPath, options: PodValidationOptions): Steps<FieldError[]> {
  const { metadata, spec } = template
  const { annotations = {} } = metadata
  const errors = yield* labelErrors(metadata.labels ?? {}, path.child('labels'))
  errors.push(...(yield* annotationErrors(annotations, path.child('annotations'))))
  errors.push(...(yield* validatePodAnnotations(annotations, spec, path.child('annotations'), options.allowInvalidDeletionCost)))
  const at = path.child('spec')
  for (const error of yield* validatePodSpec(spec, '', at, options)) errors.push(error)
  errors.push(...(yield* validateProfilesAgree(annotations, spec, at)))
  if (spec.ephemeralContainers?.length)
    errors.push(forbidden(at.child('ephemeralContainers'), 'ephemeral containers not allowed in pod template'))
  return errors
}

/**
 * Validates a PodSpec, in upstream’s order and in steps. Source: pkg/apis/core/validation in k8s.io/kubernetes.
 * @param pod name of the pod, from which names of ephemeral claims are derived; empty in a template.
 */
export function* validatePodSpec(spec: PodSpec, pod: string, path: FieldPath, options: PodValidationOptions): Steps<FieldError[]> {
  const volumes = yield* validateVolumes(spec.volumes ?? [], pod, path.child('volumes'), options)
  const errors = spec.terminationGracePeriodSeconds === undefined ? [required(path.child('terminationGracePeriodSeconds'))] : []
  errors.push(...volumes.errors)
  yield
  const context: ContainerContext = {
    volumes: volumes.passed,
    claimNames: new Set((spec.resourceClaims ?? []).map(claim => claim.name)),
    grace: spec.terminationGracePeriodSeconds,
    restartPolicy: spec.restartPolicy ?? '',
    os: spec.os?.name,
    keepsProcMasked: (spec.hostUsers ?? true) && !options.allowUnmaskedProcOfHost,
    options,
  }
  if (spec.resourceClaims)
    errors.push(...(yield* validateResourceClaims(spec.resourceClaims, pod, path.child('resourceClaims'), options.release)))
  errors.push(...(yield* validateContainers(spec.containers ?? [], path.child('containers'), context)))
  yield
  if (spec.initContainers) errors.push(...(yield* validateInitContainers(spec.initContainers, spec, path.child('initContainers'), context)))
  if (spec.ephemeralContainers)
    errors.push(...(yield* validateEphemeralContainers(spec.ephemeralContainers, spec, path.child('ephemeralContainers'), context)))
  if (options.podLevelResources && spec.resources) {
    errors.push(...validatePodResources(spec.resources, spec, context.claimNames, path.child('resources'), options))
  }
  const portsAreJudgedFirst = isSince(options.release, '1.28')
  if (spec.hostNetwork && portsAreJudgedFirst)
    errors.push(...validateHostNetworkPorts(spec, path.child('containers'), options.resourceIsPod))
  errors.push(...validateOneOf(spec.restartPolicy, RESTART_POLICIES, path.child('restartPolicy')))
  errors.push(...validateOneOf(spec.dnsPolicy, DNS_POLICIES, path.child('dnsPolicy')))
  yield
  if (spec.nodeSelector) for (const error of yield* labelErrors(spec.nodeSelector, path.child('nodeSelector'))) errors.push(error)
  if (spec.hostNetwork && !portsAreJudgedFirst) errors.push(...validateContainerPorts(spec, path.child('containers')))
  errors.push(...(yield* validatePodSecurityContext(spec, path.child('securityContext'), options)))
  if (spec.affinity) for (const error of yield* validateAffinity(spec.affinity, path.child('affinity'), options)) errors.push(error)
  yield
  errors.push(...validateDnsConfig(spec, path.child('dnsConfig'), options))
  for (const [i, { conditionType }] of (spec.readinessGates ?? []).entries()) {
    if (isLongStepDone()) yield
    errors.push(...validateQualifiedName(conditionType, path.child('readinessGates').index(i).child('conditionType')))
  }
  if (spec.schedulingGates)
    errors.push(...(yield* validateSchedulingGates(spec.schedulingGates, path.child('schedulingGates'), options.release)))
  if (spec.topologySpreadConstraints)
    errors.push(...(yield* validateSpreadConstraints(spec.topologySpreadConstraints, path.child('topologySpreadConstraints'), options)))
  yield
  errors.push(...validateHostProcess(spec, path))
  if (spec.hostUsers === false) errors.push(...validateUserNamespace(spec, path, options))
  errors.push(...validateHostnameOverride(spec, path))
  errors.push(...(yield* validateNamesAndScalars(spec, path, options)))
  return errors
}

/** Checks the remaining fields one by one, in upstream's order and in steps. */
function* validateNamesAndScalars(spec: PodSpec, path: FieldPath, options: PodValidationOptions): Steps<FieldError[]> {
  const errors: FieldError[] = []
  const subdomain = (field: 'nodeName' | 'priorityClassName' | 'runtimeClassName' | 'serviceAccountName'): FieldError[] => {
    const name = spec[field]
    return name === undefined ? [] : nameIsDnsSubdomain(name, false).map(text => invalid(path.child(field), name, text))
  }
  errors.push(...subdomain('serviceAccountName'))
  errors.push(...subdomain('nodeName'))
  const deadline = spec.activeDeadlineSeconds
  if (deadline !== undefined && (deadline < 1 || deadline > MAX_INT32)) {
    errors.push(invalid(path.child('activeDeadlineSeconds'), deadline, inclusiveRange(1, MAX_INT32)))
  }
  if (spec.hostname) errors.push(...validateDnsLabel(spec.hostname, path.child('hostname')))
  if (spec.subdomain) errors.push(...validateDnsLabel(spec.subdomain, path.child('subdomain')))
  if (spec.tolerations) errors.push(...(yield* validateTolerations(spec.tolerations, path.child('tolerations'))))
  for (const [i, alias] of (spec.hostAliases ?? []).entries()) {
    if (isLongStepDone()) yield
    const list = path.child('hostAliases')
    errors.push(
      ...(isSince(options.release, '1.30')
        ? yield* validateHostAlias(alias, list.index(i), options.addresses)
        : yield* validateEarlierHostAlias(alias, list)),
    )
  }
  errors.push(...subdomain('priorityClassName'))
  errors.push(...subdomain('runtimeClassName'))
  if (spec.preemptionPolicy !== undefined)
    errors.push(...validateOneOf(spec.preemptionPolicy, PREEMPTION_POLICIES, path.child('preemptionPolicy')))
  if (spec.overhead) errors.push(...validateResources({ limits: spec.overhead }, new Set(), path.child('overhead'), options))
  if (spec.os) errors.push(...validateOs(spec.os, spec, path))
  errors.push(...validateGroup(spec, path), ...validateEvictionResponders(spec, path))
  return [...errors, ...validateFileVolumes(spec, path)]
}

/**
 * Validates the group with which the pod is scheduled: a workload reference in 1.35, a pod group in 1.36. Source:
 * pkg/apis/core/validation in k8s.io/kubernetes.
 */
function validateGroup({ workloadRef, schedulingGroup }: PodSpec, path: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  if (workloadRef) {
    const { name, podGroup, podGroupReplicaKey: key = '' } = workloadRef
    const at = path.child('workloadRef')
    errors.push(...nameIsDnsSubdomain(name, false).map(text => invalid(at.child('name'), name, text)))
    errors.push(...nameIsDnsSubdomain(podGroup, false).map(text => invalid(at.child('podGroup'), podGroup, text)))
    if (key !== '') errors.push(...nameIsDnsLabel(key, false).map(text => invalid(at.child('podGroupReplicaKey'), key, text)))
  }
  if (schedulingGroup) {
    const { podGroupName: name } = schedulingGroup
    const at = path.child('schedulingGroup', 'podGroupName')
    if (name === undefined) errors.push(invalid(at, undefined, 'must specify one of: `podGroupName`'))
    else errors.push(...nameIsDnsSubdomain(name, false).map(text => invalid(at, name, text)))
  }
  return errors
}

/**
 * Checks hostnameOverride, which is mutually exclusive with `hostNetwork` and `setHostnameAsFQDN`. Source:
 * pkg/apis/core/validation in k8s.io/kubernetes, since 1.34.
 */
function validateHostnameOverride({ hostnameOverride: name, setHostnameAsFQDN, hostNetwork }: PodSpec, path: FieldPath): FieldError[] {
  const at = path.child('hostnameOverride')
  if (name === undefined) return []
  return [
    ...(setHostnameAsFQDN ? [forbidden(at, 'may not be specified when setHostnameAsFQDN is true')] : []),
    ...(hostNetwork ? [forbidden(at, 'may not be specified when hostNetwork is true')] : []),
    ...(longerThan(name, MAX_HOSTNAME) ? [tooLongError(at, MAX_HOSTNAME)] : []),
    ...validateDnsSubdomain(name, at),
  ]
}

function* validateHostAlias({ ip = '', hostnames = [] }: HostAlias, path: FieldPath, addresses: LegacyAddresses): Steps<FieldError[]> {
  const errors = addresses.ip(ip, path.child('ip'))
  for (const [i, name] of hostnames.entries()) {
    if (isLongStepDone()) yield
    errors.push(...validateDnsSubdomain(name, path.child('hostnames').index(i)))
  }
  return errors
}

/** Error in the words of releases before 1.30. */
const validateEarlierIp = (ip: string, path: FieldPath): FieldError[] =>
  ipFault(ip, false) === undefined ? [] : [invalid(path, ip, 'must be valid IP address')]

/** Before 1.30 paths of errors do not contain the index of the alias. */
function* validateEarlierHostAlias({ ip = '', hostnames = [] }: HostAlias, list: FieldPath): Steps<FieldError[]> {
  const errors = validateEarlierIp(ip, list.child('ip'))
  for (const name of hostnames) {
    if (isLongStepDone()) yield
    errors.push(...validateDnsSubdomain(name, list.child('hostnames')))
  }
  return errors
}

function validateOneOf(value: string | undefined, values: readonly string[], path: FieldPath): FieldError[] {
  if (!value) return [required(path)]
  return values.includes(value) ? [] : [notSupported(path, value, values)]
}

/** Upstream reports an empty name for `os.name`, and an unknown one for `os`. */
function validateOs({ name }: PodOS, spec: PodSpec, path: FieldPath): FieldError[] {
  if (name === 'linux') return validateLinuxPod(spec, path)
  if (name === 'windows') return validateWindowsPod(spec, path)
  if (name === '') return [required(path.child('os', 'name'), words('cannot be empty', ''))]
  return [notSupported(path.child('os'), name, ['linux', 'windows'])]
}

/**
 * Validates resource claims in steps. Each entry refers to a ResourceClaim or a ResourceClaimTemplate, up to 1.30 in a
 * nested struct. The form of a duplicate name is not checked. From 1.27 to 1.30 the name of a claim that is created
 * from a template consists of the names of the pod and of the entry.
 */
function* validateResourceClaims(claims: readonly PodResourceClaim[], pod: string, path: FieldPath, release: Release): Steps<FieldError[]> {
  const errors: FieldError[] = []
  const names = new Set<string>()
  for (const [i, claim] of claims.entries()) {
    if (isLongStepDone()) yield
    const at = path.index(i)
    if (!claim.name) errors.push(required(at.child('name')))
    else if (names.has(claim.name)) errors.push(duplicate(at.child('name'), claim.name))
    else errors.push(...validateClaimEntryName(claim, pod, at.child('name'), release))
    names.add(claim.name)
    const from = claim.source ?? claim
    const where = claim.source ? at.child('source') : at
    const { resourceClaimName, resourceClaimTemplateName } = from
    if (resourceClaimName !== undefined && resourceClaimTemplateName !== undefined) {
      errors.push(invalid(where, from, 'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified'))
    }
    if (resourceClaimName === undefined && resourceClaimTemplateName === undefined) {
      errors.push(invalid(where, from, 'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`'))
    }
    if (!isSince(release, '1.27')) continue
    for (const field of ['resourceClaimName', 'resourceClaimTemplateName'] as const) {
      const name = from[field]
      if (name !== undefined) for (const text of nameIsDnsSubdomain(name, false)) errors.push(invalid(where.child(field), name, text))
    }
  }
  return errors
}

/** @param pod name of the pod; empty in a template. */
function validateClaimEntryName(claim: PodResourceClaim, pod: string, path: FieldPath, release: Release): FieldError[] {
  const errors = validateDnsLabel(claim.name, path)
  const isMade = (claim.source ?? claim).resourceClaimTemplateName !== undefined
  if (errors.length > 0 || !isMade || pod === '' || !isSince(release, '1.27') || isSince(release, '1.31')) return errors
  const made = `${pod}-${claim.name}`
  return nameIsDnsSubdomain(made, false).map(text => invalid(path, made, `final ResourceClaim name: ${text}`))
}

/** Checks ports as releases before 1.28 do. Host ports in templates have their defaults at this point. */
function validateContainerPorts(spec: PodSpec, path: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  spec.containers?.forEach((container, i) => {
    container.ports?.forEach(({ containerPort, hostPort = 0 }, j) => {
      if (hostPort === containerPort) return
      errors.push(
        invalid(
          path.index(i).child('ports').index(j).child('containerPort'),
          containerPort,
          'must match `hostPort` when `hostNetwork` is true',
        ),
      )
    })
  })
  return errors
}

/**
 * Checks that host ports equal container ports on the host's network. A template may leave them unset: the pod gets
 * them by default.
 */
function validateHostNetworkPorts(spec: PodSpec, path: FieldPath, resourceIsPod: boolean): FieldError[] {
  const errors: FieldError[] = []
  spec.containers?.forEach((container, i) => {
    container.ports?.forEach(({ containerPort, hostPort = 0 }, j) => {
      if ((resourceIsPod || hostPort !== 0) && hostPort !== containerPort) {
        errors.push(
          invalid(
            path.index(i).child('ports').index(j).child('hostPort'),
            hostPort,
            'must match `containerPort` when `hostNetwork` is true',
          ),
        )
      }
    })
  })
  return errors
}

/**
 * Checks a pod with its own user namespace. It may not share other namespaces of the host, nor have raw block devices,
 * whose owners cannot be mapped. Upstream’s paths spell `HostPID` and `HostIPC` as in Go.
 */
function validateUserNamespace(spec: PodSpec, path: FieldPath, { allowUserNamespaceDevices }: PodValidationOptions): FieldError[] {
  const errors: FieldError[] = []
  const text = words('when `pod.Spec.HostUsers` is false', 'when `hostUsers` is false')
  if (spec.hostNetwork) errors.push(forbidden(path.child('hostNetwork'), text))
  if (spec.hostPID) errors.push(forbidden(path.child('HostPID'), text))
  if (spec.hostIPC) errors.push(forbidden(path.child('HostIPC'), text))
  if (allowUserNamespaceDevices) return errors
  for (const list of ['initContainers', 'containers', 'ephemeralContainers'] as const) {
    spec[list]?.forEach(({ volumeDevices = [] }, i) => {
      if (volumeDevices.length > 0) errors.push(forbidden(path.child(list).index(i).child('volumeDevices'), 'when `hostUsers` is false'))
    })
  }
  return errors
}

/** Limit of glibc and musl. */
const MAX_NAMESERVERS = 3
/** Limits on DNS search paths with and without the gate ExpandedDNSConfig. */
const SEARCH_LIMITS = { expanded: { paths: 32, characters: 2048 }, legacy: { paths: 6, characters: 256 } }

/** Validates dnsConfig. The policy None uses no configuration of the node, so it requires a nameserver. */
function validateDnsConfig({ dnsConfig: config, dnsPolicy }: PodSpec, path: FieldPath, options: PodValidationOptions): FieldError[] {
  if (dnsPolicy !== 'None') return config ? validateDnsLists(config, path, options) : []
  if (!config) return [required(path, 'must provide `dnsConfig` when `dnsPolicy` is None')]
  if (config.nameservers?.length) return validateDnsLists(config, path, options)
  return [required(path.child('nameservers'), 'must provide at least one DNS nameserver when `dnsPolicy` is None')]
}

/** A search path may end with a dot, which the error omits. */
function validateDnsLists(
  { nameservers = [], searches = [], options = [] }: PodDNSConfig,
  path: FieldPath,
  { addresses, allowRelaxedSearches: relaxed, allowExpandedSearches, release }: PodValidationOptions,
): FieldError[] {
  const errors: FieldError[] = []
  if (nameservers.length > MAX_NAMESERVERS) {
    errors.push(invalid(path.child('nameservers'), nameservers, `must not have more than ${MAX_NAMESERVERS} nameservers`))
  }
  nameservers.forEach((nameserver, i) => {
    const at = path.child('nameservers').index(i)
    errors.push(...(isSince(release, '1.30') ? addresses.ip(nameserver, at) : validateEarlierIp(nameserver, at)))
  })
  const most = SEARCH_LIMITS[allowExpandedSearches ? 'expanded' : 'legacy']
  if (searches.length > most.paths)
    errors.push(invalid(path.child('searches'), searches, `must not have more than ${most.paths} search paths`))
  if (searches.join(' ').length > most.characters) {
    errors.push(
      invalid(
        path.child('searches'),
        searches,
        `must not have more than ${most.characters} characters (including spaces) in the search list`,
      ),
    )
  }
  searches.forEach((search, i) => {
    if (relaxed && search === '.') return
    const name = search.endsWith('.') ? search.slice(0, -1) : search
    for (const text of relaxed ? isDns1123SubdomainWithUnderscore(name) : isDns1123Subdomain(name))
      errors.push(invalid(path.child('searches').index(i), name, text))
  })
  options.forEach((option, i) => {
    if (!option.name) errors.push(required(path.child('options').index(i), 'must not be empty'))
  })
  return errors
}
