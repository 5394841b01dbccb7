import type {
  Container,
  ContainerStatus,
  HostIP,
  Pod,
  PodExtendedResourceClaimStatus,
  PodIP,
  PodResourceClaim,
  PodResourceClaimStatus,
  PodSpec,
  PodStatus,
} from '../../../api/core/v1.types.ts'
import { isLongStepDone, isStepDone, type Steps } from '../../../lib/steps.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import { isSince, type Release } from '../../../lifecycle/release.ts'
import { deepEqual } from '../../../meta/equal.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { duplicate, forbidden, immutableError, invalid, notSupported } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { isIPv6, parseIp } from '../../../meta/ip.ts'
import { isValidGroupId, isValidUserId, nameIsDnsSubdomain } from '../../../meta/names.ts'
import { goMember, goValue } from '../../shared/go-values.ts'
import { type LegacyAddresses, legacyAddresses } from '../../shared/legacy-addresses.ts'
import { validateQualifiedName } from '../checks.ts'
import { podStatusOptions } from '../pod-spec/options.ts'
import { mayRestart, type RestartOptions, restartsAll } from '../pod-spec/restart-rules.ts'
import { isSidecar } from '../pod-spec/visit.ts'
import { validateExtendedResources } from './extended-resources.ts'
import { validateNodeResources } from './node-resources.ts'
import { validateAnnotationsUpdate } from './validation.ts'

const STATUS = fieldPath('status')
const SYSTEM_CONDITIONS = ['PodScheduled', 'Ready', 'Initialized']
/**
 * Validates an update of the status in steps. Container statuses and addresses must fit the spec, and containers that
 * have terminated for good must not restart. qosClass is immutable since 1.32. An invalid nominatedNodeName may stay if
 * it is unchanged. Source: pkg/apis/core/validation in k8s.io/kubernetes.
 */
export function* validatePodStatusUpdate(next: Pod, old: Pod, features: Features): Steps<FieldError[]> {
  const errors: FieldError[] = []
  const { spec, status } = next
  const before = old.status
  const legacy = (list: readonly { readonly ip?: string }[] = []) =>
    legacyAddresses(
      features,
      list.map(({ ip = '' }) => ip),
    )
  const options = yield* podStatusOptions(features, next, old)
  errors.push(...(yield* validateAnnotationsUpdate(next, old, options)))
  for (const [i, { type }] of (status.conditions ?? []).entries()) {
    if (isLongStepDone()) yield
    // The path is wrong in the same way as upstream's.
    if (!SYSTEM_CONDITIONS.includes(type))
      errors.push(...validateQualifiedName(type, fieldPath('metadata', 'conditions').index(i).child('Type')))
  }
  const { hostIP = '', hostIPs = [], nominatedNodeName: nominated = '' } = status
  if (nominated !== '' && nominated !== before.nominatedNodeName) {
    if (features.enabled('ClearingNominatedNodeNameAfterBinding') && old.spec.nodeName)
      errors.push(forbidden(STATUS.child('nominatedNodeName'), 'may not be set on pods that are already bound to a node'))
    for (const text of nameIsDnsSubdomain(nominated, false)) errors.push(invalid(STATUS.child('nominatedNodeName'), nominated, text))
  }
  if (isSince(features.release, '1.32') && !deepEqual(status.qosClass, before.qosClass))
    errors.push(immutableError(STATUS.child('qosClass'), status.qosClass ?? ''))
  errors.push(...(yield* validateTransitions(status, before, old.spec, options)))
  errors.push(
    ...(yield* validateClaimStatuses(
      status.resourceClaimStatuses ?? [],
      spec.resourceClaims ?? [],
      STATUS.child('resourceClaimStatuses'),
      features.release,
    )),
  )
  if (status.extendedResourceClaimStatus) {
    errors.push(...validateExtendedResources(status.extendedResourceClaimStatus, spec, STATUS.child('extendedResourceClaimStatus')))
  }
  errors.push(...validateNodeResources(next, features.release, STATUS.child('nodeAllocatableResourceClaimStatuses')))
  errors.push(...validateAddresses(status.podIPs ?? [], 'podIPs', legacy(before.podIPs)))
  const [first] = hostIPs
  if (first && hostIP !== (first.ip ?? ''))
    errors.push(invalid(STATUS.child('hostIPs').index(0).child('ip'), first.ip ?? '', 'must be equal to `hostIP`'))
  errors.push(...validateAddresses(hostIPs, 'hostIPs', legacy(before.hostIPs)))
  for (const list of STATUS_LISTS) errors.push(...(yield* validateUsers(status[list] ?? [], spec.os?.name ?? 'linux', STATUS.child(list))))
  const extended = isSince(features.release, '1.37') ? status.extendedResourceClaimStatus : undefined
  for (const [list, containers] of [
    ['containerStatuses', spec.containers],
    ['initContainerStatuses', spec.initContainers],
  ] as const)
    errors.push(...(yield* validateAllocated(status[list] ?? [], containers ?? [], STATUS.child(list), extended)))
  status.ephemeralContainerStatuses?.forEach((container, i) => {
    const at = STATUS.child('ephemeralContainerStatuses').index(i).child('allocatedResourcesStatus')
    if (container.allocatedResourcesStatus?.length) errors.push(forbidden(at, 'must not be specified in container status'))
  })
  return errors
}

const STATUS_LISTS = ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'] as const

/**
 * Checks that a container that has terminated for good does not restart, by the restart policy: OnFailure restarts a
 * container with a non-zero exit code, sidecars always restart, and ephemeral containers never do.
 */
function* validateTransitions(next: PodStatus, old: PodStatus, spec: PodSpec, options: RestartOptions): Steps<FieldError[]> {
  const errors: FieldError[] = []
  const sidecars = new Set((spec.initContainers ?? []).filter(isSidecar).map(({ name }) => name))
  for (const list of STATUS_LISTS) {
    const policy = list === 'ephemeralContainerStatuses' ? 'Never' : spec.restartPolicy
    const own = (list === 'containerStatuses' ? spec.containers : spec.initContainers) ?? []
    const byName = new Map(own.toReversed().map(container => [container.name, container]))
    const rules = options.allowRestartRules && list !== 'ephemeralContainerStatuses'
    if (rules ? options.allowRestartAll && restartsAll(spec) : policy === 'Always') continue
    const revived = new Map<string, number>()
    for (const { name, state } of next[list] ?? []) if (!state.terminated) revived.set(name, (revived.get(name) ?? 0) + 1)
    for (const [i, container] of (old[list] ?? []).entries()) {
      if (isLongStepDone()) yield
      const ended = container.state.terminated
      if (!ended || (list === 'initContainerStatuses' && sidecars.has(container.name))) continue
      if (rules ? mayRestart(byName.get(container.name), spec, ended.exitCode) : ended.exitCode && policy === 'OnFailure') continue
      for (let n = revived.get(container.name) ?? 0; n > 0; n--) {
        errors.push(forbidden(STATUS.child(list).index(i).child('state'), 'may not be transitioned to non-terminated state'))
      }
    }
  }
  return errors
}

/**
 * Checks that each entry refers to a claim of the spec and is unique. Before 1.36 the path of an invalid
 * resourceClaimName is that of `name`.
 */
function* validateClaimStatuses(
  statuses: readonly PodResourceClaimStatus[],
  claims: readonly PodResourceClaim[],
  path: FieldPath,
  release: Release,
): Steps<FieldError[]> {
  const ofName = isSince(release, '1.36') ? 'resourceClaimName' : 'name'
  const errors: FieldError[] = []
  const seen = new Set<string>()
  const known = new Set(claims.map(claim => claim.name))
  for (const [i, { name, resourceClaimName }] of statuses.entries()) {
    if (isLongStepDone()) yield
    const at = path.index(i).child('name')
    if (!known.has(name)) errors.push(invalid(at, name, 'must match the name of an entry in `spec.resourceClaims`'))
    if (seen.has(name)) errors.push(duplicate(at, name))
    seen.add(name)
    if (resourceClaimName === undefined) continue
    for (const text of nameIsDnsSubdomain(resourceClaimName, false))
      errors.push(invalid(path.index(i).child(ofName), resourceClaimName, text))
  }
  return errors
}

/** Allows at most one address of each family. */
function validateAddresses(addresses: readonly (PodIP | HostIP)[], list: 'podIPs' | 'hostIPs', legacy: LegacyAddresses): FieldError[] {
  const errors: FieldError[] = []
  const path = STATUS.child(list)
  addresses.forEach(({ ip = '' }, i) => {
    errors.push(...legacy.ip(ip, path.index(i)))
  })
  if (addresses.length < 2) return errors
  const valid = addresses.map(({ ip = '' }) => ip).filter(ip => parseIp(ip) !== undefined)
  const dualStack = valid.length === addresses.length && new Set(valid.map(isIPv6)).size === 2
  if (!dualStack || addresses.length > 2)
    errors.push(invalid(path, goMember('core.PodStatus', list, [...addresses]), 'may specify no more than one IP for each IP family'))
  const seen = new Set<string>()
  addresses.forEach((address, i) => {
    const { ip = '' } = address
    if (seen.has(ip)) errors.push(duplicate(path.index(i), goValue(list === 'podIPs' ? 'core.PodIP' : 'core.HostIP', address)))
    seen.add(ip)
  })
  return errors
}

/**
 * Validates the users that the container runtime reports. A Windows pod may have no `linux` user. A pod without an `os`
 * is treated as a Linux pod.
 */
function* validateUsers(statuses: readonly ContainerStatus[], os: string, path: FieldPath): Steps<FieldError[]> {
  const errors: FieldError[] = []
  for (const [i, { user }] of statuses.entries()) {
    const linux = user?.linux
    if (!linux) continue
    const at = path.index(i).child('user', 'linux')
    if (os === 'windows') errors.push(forbidden(at, 'cannot be set for a windows pod'))
    if (os !== 'linux') continue
    for (const text of isValidUserId(linux.uid)) errors.push(invalid(at.child('uid'), linux.uid, text))
    for (const text of isValidGroupId(linux.gid)) errors.push(invalid(at.child('gid'), linux.gid, text))
    for (const [j, gid] of (linux.supplementalGroups ?? []).entries()) {
      if (isStepDone()) yield
      for (const text of isValidGroupId(gid)) errors.push(invalid(at.child('supplementalGroups').index(j), gid, text))
    }
  }
  return errors
}

const HEALTH = ['Healthy', 'Unhealthy', 'Unknown']
const NO_CLAIM =
  "must match one of the container's resource claims in a format 'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty"
const NO_REQUEST = "must match one of the container's resource requests"

/**
 * Validates the health of devices: each entry refers to a claim or resource of the container, and each device is listed
 * once. Statuses of containers that the spec does not have are skipped.
 *
 * @param extended claim of the scheduler for extended resources. Entries may also refer to its requests for the
 * container
 */
function* validateAllocated(
  statuses: readonly ContainerStatus[],
  containers: readonly Container[],
  path: FieldPath,
  extended: PodExtendedResourceClaimStatus | undefined,
): Steps<FieldError[]> {
  const errors: FieldError[] = []
  const byName = new Map<string, { readonly container: Container; readonly claims: ReadonlySet<string> }>()
  for (const container of containers) {
    if (isLongStepDone()) yield
    const { claims = [] } = container.resources
    const names = new Set(claims.map(({ name, request }) => `claim:${name}${request ? `/${request}` : ''}`))
    for (const { containerName, requestName } of extended?.requestMappings ?? [])
      if (containerName === container.name) names.add(`claim:${extended?.resourceClaimName}/${requestName}`)
    if (!byName.has(container.name)) byName.set(container.name, { container, claims: names })
  }
  for (const [i, status] of statuses.entries())
    for (const [j, { name, resources = [] }] of (status.allocatedResourcesStatus ?? []).entries()) {
      if (isLongStepDone()) yield
      const at = path.index(i).child('allocatedResourcesStatus').index(j)
      const known = byName.get(status.name)
      const isClaim = name.startsWith('claim:')
      const found = isClaim ? known?.claims.has(name) : Object.hasOwn(known?.container.resources.requests ?? {}, name)
      if (known && !found) errors.push(invalid(at.child('name'), name, isClaim ? NO_CLAIM : NO_REQUEST))
      const seen = new Set<string>()
      for (const [k, { resourceID, health = '' }] of resources.entries()) {
        if (isLongStepDone()) yield
        const part = at.child('resources').index(k)
        if (!HEALTH.includes(health)) errors.push(notSupported(part.child('health'), health, HEALTH))
        if (seen.has(resourceID)) errors.push(duplicate(part.child('resourceID'), resourceID))
        seen.add(resourceID)
      }
    }
  return errors
}
