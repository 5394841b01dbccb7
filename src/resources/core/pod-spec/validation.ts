import type { FieldError } from '../../../meta/field-error.ts'
import { duplicate, forbidden, invalid, notSupported, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { isDns1123SubdomainWithUnderscore, nameIsDnsSubdomain } from '../../../meta/names.ts'
import { validateAnnotations, validateLabels } from '../../../meta/object-meta-validation.ts'
import { goMember } from '../../shared/go-values.ts'
import type { ApiStruct, Errors } from '../checks.ts'
import { checkDnsLabel, checkDnsSubdomain, checkIP, checkQualifiedName, inclusiveRange, MAX_INT32, report } from '../checks.ts'
import { checkVolumes } from '../volume/validation.ts'
import { checkAffinity } from './affinity.ts'
import { checkPodAnnotations, checkProfilesAgree } from './annotations.ts'
import type { ContainerContext } from './containers.ts'
import { checkContainers, checkEphemeralContainers, checkInitContainers } from './containers.ts'
import type { PodValidationOptions } from './options.ts'
import { checkResources } from './resources.ts'
import { checkSchedulingGates, checkSpreadConstraints, checkTolerations } from './scheduling.ts'
import { checkPodSecurityContext } from './security-context.ts'
import { checkHostProcess, checkLinuxPod, checkWindowsPod } from './windows.ts'

const RESTART_POLICIES = ['Always', 'OnFailure', 'Never']
const DNS_POLICIES = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None']
const PREEMPTION_POLICIES = ['PreemptLowerPriority', 'Never']

/** PodTemplateSpec; `path`: that of the template. */
export function validatePodTemplateSpec(template: ApiStruct, path: FieldPath, options: PodValidationOptions): FieldError[] {
  const { metadata = {}, spec = {} } = template
  const annotations = metadata.annotations ?? {}
  const errors: Errors = []
  errors.push(...validateLabels(metadata.labels, path.child('labels')))
  errors.push(...validateAnnotations(metadata.annotations, path.child('annotations')))
  checkPodAnnotations(annotations, spec, path.child('annotations'), options.allowInvalidDeletionCost, errors)
  const at = path.child('spec')
  checkPodSpec(spec, '', at, options, errors)
  checkProfilesAgree(annotations, spec, at, errors)
  if (spec.ephemeralContainers?.length) errors.push(forbidden(at.child('ephemeralContainers'), 'ephemeral containers not allowed in pod template'))
  return errors
}

/** A template of a ReplicationController, whose selector is a plain map. Without a template, that is told. */
export function validatePodTemplateSpecForReplicas(
  template: ApiStruct | undefined,
  selector: Readonly<Record<string, string>>,
  path: FieldPath,
  options: PodValidationOptions,
): FieldError[] {
  if (!template) return [required(path)]
  const errors: Errors = []
  const labels = template.metadata?.labels ?? {}
  if (Object.entries(selector).some(([key, value]) => !Object.hasOwn(labels, key) || labels[key] !== value)) {
    errors.push(invalid(path.child('metadata', 'labels'), goMember('meta.ObjectMeta', 'labels', labels), '`selector` does not match template `labels`'))
  }
  errors.push(...validatePodTemplateSpec(template, path, options))
  const restart: string = template.spec?.restartPolicy ?? ''
  if (restart !== 'Always') errors.push(notSupported(path.child('spec', 'restartPolicy'), restart, ['Always']))
  if (template.spec?.activeDeadlineSeconds !== undefined) {
    errors.push(forbidden(path.child('spec', 'activeDeadlineSeconds'), 'activeDeadlineSeconds in ReplicationController is not Supported'))
  }
  return errors
}

export function checkPodSpec(spec: ApiStruct, pod: string, path: FieldPath, options: PodValidationOptions, errors: Errors): void {
  if (spec.terminationGracePeriodSeconds === undefined) errors.push(required(path.child('terminationGracePeriodSeconds')))
  const context: ContainerContext = {
    volumes: checkVolumes(spec.volumes ?? [], pod, path.child('volumes'), options, errors),
    claimNames: new Set((spec.resourceClaims ?? []).map((claim: ApiStruct) => claim.name ?? '')),
    grace: spec.terminationGracePeriodSeconds,
    restartPolicy: spec.restartPolicy ?? '',
    hostUsers: spec.hostUsers ?? true,
    options,
  }
  if (spec.resourceClaims) checkResourceClaims(spec.resourceClaims, path.child('resourceClaims'), errors)
  checkContainers(spec.containers ?? [], path.child('containers'), context, errors)
  if (spec.initContainers) checkInitContainers(spec, path.child('initContainers'), context, errors)
  if (spec.ephemeralContainers) checkEphemeralContainers(spec, path.child('ephemeralContainers'), context, errors)
  if (spec.hostNetwork) checkHostNetworkPorts(spec, path.child('containers'), options.resourceIsPod, errors)
  checkOneOf(spec.restartPolicy, RESTART_POLICIES, path.child('restartPolicy'), errors)
  checkOneOf(spec.dnsPolicy, DNS_POLICIES, path.child('dnsPolicy'), errors)
  if (spec.nodeSelector) errors.push(...validateLabels(spec.nodeSelector, path.child('nodeSelector')))
  checkPodSecurityContext(spec, path.child('securityContext'), options, errors)
  if (spec.affinity) checkAffinity(spec.affinity, path.child('affinity'), options, errors)
  checkDnsConfig(spec, path.child('dnsConfig'), errors)
  const gates: ApiStruct[] = spec.readinessGates ?? []
  gates.forEach((gate, i) => {
    checkQualifiedName(gate.conditionType ?? '', path.child('readinessGates').index(i).child('conditionType'), errors)
  })
  if (spec.schedulingGates) checkSchedulingGates(spec.schedulingGates, path.child('schedulingGates'), errors)
  if (spec.topologySpreadConstraints) {
    checkSpreadConstraints(spec.topologySpreadConstraints, path.child('topologySpreadConstraints'), options.allowInvalidSpreadSelector, errors)
  }
  checkHostProcess(spec, path, errors)
  if (spec.hostUsers === false) checkUserNamespace(spec, path, errors)
  checkNamesAndScalars(spec, path, options, errors)
}

/** The rest of the fields, each on its own, in upstream's order. */
function checkNamesAndScalars(spec: ApiStruct, path: FieldPath, options: PodValidationOptions, errors: Errors): void {
  const subdomain = (field: string): void => {
    if (spec[field]) report(nameIsDnsSubdomain(spec[field], false), path.child(field), spec[field], errors)
  }
  subdomain('serviceAccountName')
  subdomain('nodeName')
  const deadline: number | undefined = spec.activeDeadlineSeconds
  if (deadline !== undefined && (deadline < 1 || deadline > MAX_INT32)) {
    errors.push(invalid(path.child('activeDeadlineSeconds'), deadline, inclusiveRange(1, MAX_INT32)))
  }
  if (spec.hostname) checkDnsLabel(spec.hostname, path.child('hostname'), errors)
  if (spec.subdomain) checkDnsLabel(spec.subdomain, path.child('subdomain'), errors)
  if (spec.tolerations) checkTolerations(spec.tolerations, path.child('tolerations'), errors)
  const aliases: ApiStruct[] = spec.hostAliases ?? []
  aliases.forEach((alias, i) => {
    const at = path.child('hostAliases').index(i)
    checkIP(alias.ip ?? '', at.child('ip'), errors)
    const names: string[] = alias.hostnames ?? []
    names.forEach((name, j) => {
      checkDnsSubdomain(name, at.child('hostnames').index(j), errors)
    })
  })
  subdomain('priorityClassName')
  if (spec.runtimeClassName !== undefined)
    report(nameIsDnsSubdomain(spec.runtimeClassName, false), path.child('runtimeClassName'), spec.runtimeClassName, errors)
  if (spec.preemptionPolicy !== undefined) checkOneOf(spec.preemptionPolicy, PREEMPTION_POLICIES, path.child('preemptionPolicy'), errors)
  if (spec.overhead) checkResources({ limits: spec.overhead }, new Set(), path.child('overhead'), options, errors)
  if (spec.os) checkOs(spec, path, errors)
}

function checkOneOf(value: string | undefined, values: readonly string[], path: FieldPath, errors: Errors): void {
  if (!value) errors.push(required(path))
  else if (!values.includes(value)) errors.push(notSupported(path, value, values))
}

function checkOs(spec: ApiStruct, path: FieldPath, errors: Errors): void {
  const name: string = spec.os.name ?? ''
  if (name === '') errors.push(required(path.child('os', 'name'), 'cannot be empty'))
  else if (name === 'linux') checkLinuxPod(spec, path, errors)
  else if (name === 'windows') checkWindowsPod(spec, path, errors)
  else errors.push(notSupported(path.child('os'), name, ['linux', 'windows']))
}

function checkResourceClaims(claims: readonly ApiStruct[], path: FieldPath, errors: Errors): void {
  const names = new Set<string>()
  claims.forEach((claim, i) => {
    const at = path.index(i)
    if (!claim.name) errors.push(required(at.child('name')))
    else if (names.has(claim.name)) errors.push(duplicate(at.child('name'), claim.name))
    else checkDnsLabel(claim.name, at.child('name'), errors)
    names.add(claim.name)
    const { resourceClaimName, resourceClaimTemplateName } = claim
    if (resourceClaimName !== undefined && resourceClaimTemplateName !== undefined) {
      errors.push(invalid(at, claim, 'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified'))
    }
    if (resourceClaimName === undefined && resourceClaimTemplateName === undefined) {
      errors.push(invalid(at, claim, 'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`'))
    }
    for (const field of ['resourceClaimName', 'resourceClaimTemplateName']) {
      if (claim[field] !== undefined) report(nameIsDnsSubdomain(claim[field], false), at.child(field), claim[field], errors)
    }
  })
}

/** On the host's network a host port is the container's; a template may leave it to be defaulted in the pod. */
function checkHostNetworkPorts(spec: ApiStruct, path: FieldPath, resourceIsPod: boolean, errors: Errors): void {
  const containers: ApiStruct[] = spec.containers ?? []
  containers.forEach((container, i) => {
    const ports: ApiStruct[] = container.ports ?? []
    ports.forEach((port, j) => {
      const hostPort: number = port.hostPort ?? 0
      if ((resourceIsPod || hostPort !== 0) && hostPort !== (port.containerPort ?? 0)) {
        errors.push(invalid(path.index(i).child('ports').index(j).child('hostPort'), hostPort, 'must match `containerPort` when `hostNetwork` is true'))
      }
    })
  })
}

/** A user namespace of its own excludes the host's other namespaces. */
function checkUserNamespace(spec: ApiStruct, path: FieldPath, errors: Errors): void {
  const text = 'when `pod.Spec.HostUsers` is false'
  if (spec.hostNetwork) errors.push(forbidden(path.child('hostNetwork'), text))
  if (spec.hostPID) errors.push(forbidden(path.child('HostPID'), text))
  if (spec.hostIPC) errors.push(forbidden(path.child('HostIPC'), text))
}

/** glibc and musl read no more than this. */
const MAX_NAMESERVERS = 3
const MAX_SEARCHES = 32
const MAX_SEARCH_CHARACTERS = 2048

function checkDnsConfig(spec: ApiStruct, path: FieldPath, errors: Errors): void {
  const config = spec.dnsConfig
  const nameservers: string[] = config?.nameservers ?? []
  if (spec.dnsPolicy === 'None') {
    if (!config) return void errors.push(required(path, 'must provide `dnsConfig` when `dnsPolicy` is None'))
    if (nameservers.length === 0) {
      return void errors.push(required(path.child('nameservers'), 'must provide at least one DNS nameserver when `dnsPolicy` is None'))
    }
  }
  if (!config) return
  if (nameservers.length > MAX_NAMESERVERS) {
    errors.push(invalid(path.child('nameservers'), nameservers, `must not have more than ${MAX_NAMESERVERS} nameservers`))
  }
  nameservers.forEach((nameserver, i) => {
    checkIP(nameserver, path.child('nameservers').index(i), errors)
  })
  const searches: string[] = config.searches ?? []
  if (searches.length > MAX_SEARCHES) errors.push(invalid(path.child('searches'), searches, `must not have more than ${MAX_SEARCHES} search paths`))
  if (searches.join(' ').length > MAX_SEARCH_CHARACTERS) {
    errors.push(invalid(path.child('searches'), searches, `must not have more than ${MAX_SEARCH_CHARACTERS} characters (including spaces) in the search list`))
  }
  searches.forEach((search, i) => {
    if (search === '.') return
    const name = search.endsWith('.') ? search.slice(0, -1) : search
    report(isDns1123SubdomainWithUnderscore(name), path.child('searches').index(i), name, errors)
  })
  const dnsOptions: ApiStruct[] = config.options ?? []
  dnsOptions.forEach((option, i) => {
    if (!option.name) errors.push(required(path.child('options').index(i), 'must not be empty'))
  })
}
