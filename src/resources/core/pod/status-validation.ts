import { deepEqual } from '../../../meta/equal.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { duplicate, forbidden, invalid, notSupported } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { isIPv6, isValidIP } from '../../../meta/ip.ts'
import { isValidGroupId, isValidUserId, nameIsDnsSubdomain } from '../../../meta/names.ts'
import type { KubeObject } from '../../../meta/object.ts'
import { goMember, goValue } from '../../shared/go-values.ts'
import type { ApiStruct, Errors } from '../checks.ts'
import { checkIP, checkQualifiedName, report } from '../checks.ts'
import { podOptions } from '../pod-spec/options.ts'
import { isSidecar } from '../pod-spec/visit.ts'
import { checkAnnotationsUpdate } from './validation.ts'

const STATUS = fieldPath('status')
const SYSTEM_CONDITIONS = ['PodScheduled', 'Ready', 'Initialized']
const IMMUTABLE = 'field is immutable'

export function validatePodStatusUpdate(next: KubeObject, old: KubeObject): FieldError[] {
  const errors: Errors = []
  const { spec, status } = next
  const before = old.status ?? {}
  checkAnnotationsUpdate(next, old, podOptions(old), errors)
  const conditions: ApiStruct[] = status.conditions ?? []
  conditions.forEach(({ type = '' }, i) => {
    // Upstream's path.
    if (!SYSTEM_CONDITIONS.includes(type)) checkQualifiedName(type, fieldPath('metadata', 'conditions').index(i).child('Type'), errors)
  })
  const nominated: string = status.nominatedNodeName ?? ''
  if (nominated !== '' && nominated !== before.nominatedNodeName)
    report(nameIsDnsSubdomain(nominated, false), STATUS.child('nominatedNodeName'), nominated, errors)
  if (!deepEqual(status.qosClass, before.qosClass)) errors.push(invalid(STATUS.child('qosClass'), status.qosClass ?? '', IMMUTABLE))
  checkTransitions(status, before, old.spec, errors)
  checkClaimStatuses(status.resourceClaimStatuses ?? [], spec.resourceClaims ?? [], STATUS.child('resourceClaimStatuses'), errors)
  checkAddresses(status.podIPs ?? [], 'podIPs', errors)
  const hostIPs: ApiStruct[] = status.hostIPs ?? []
  if (hostIPs.length > 0 && (status.hostIP ?? '') !== (hostIPs[0].ip ?? '')) {
    errors.push(invalid(STATUS.child('hostIPs').index(0).child('ip'), hostIPs[0].ip ?? '', 'must be equal to `hostIP`'))
  }
  checkAddresses(hostIPs, 'hostIPs', errors)
  for (const list of STATUS_LISTS) checkUsers(status[list] ?? [], spec.os?.name ?? 'linux', STATUS.child(list), errors)
  checkAllocated(status.containerStatuses ?? [], spec.containers ?? [], STATUS.child('containerStatuses'), errors)
  checkAllocated(status.initContainerStatuses ?? [], spec.initContainers ?? [], STATUS.child('initContainerStatuses'), errors)
  const ephemeral: ApiStruct[] = status.ephemeralContainerStatuses ?? []
  ephemeral.forEach((container, i) => {
    const at = STATUS.child('ephemeralContainerStatuses').index(i).child('allocatedResourcesStatus')
    if (container.allocatedResourcesStatus?.length) errors.push(forbidden(at, 'must not be specified in container status'))
  })
  return errors
}

const STATUS_LISTS = ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses']

/** A container that has ended for good does not come back. */
function checkTransitions(next: ApiStruct, old: ApiStruct, spec: ApiStruct, errors: Errors): void {
  const sidecars = new Set<string>((spec.initContainers ?? []).filter(isSidecar).map(({ name }: ApiStruct) => name))
  for (const list of STATUS_LISTS) {
    const policy = list === 'ephemeralContainerStatuses' ? 'Never' : spec.restartPolicy
    if (policy === 'Always') continue
    const before: ApiStruct[] = old[list] ?? []
    const revived = new Map<string, number>()
    for (const { name, state } of next[list] ?? []) if (!state?.terminated) revived.set(name, (revived.get(name) ?? 0) + 1)
    before.forEach((container, i) => {
      const ended = container.state?.terminated
      if (!ended || (ended.exitCode && policy === 'OnFailure') || (list === 'initContainerStatuses' && sidecars.has(container.name))) return
      for (let n = revived.get(container.name) ?? 0; n > 0; n--) {
        errors.push(forbidden(STATUS.child(list).index(i).child('state'), 'may not be transitioned to non-terminated state'))
      }
    })
  }
}

function checkClaimStatuses(statuses: readonly ApiStruct[], claims: readonly ApiStruct[], path: FieldPath, errors: Errors): void {
  const seen = new Set<string>()
  const known = new Set(claims.map(claim => claim.name))
  statuses.forEach(({ name = '', resourceClaimName }, i) => {
    const at = path.index(i).child('name')
    if (!known.has(name)) errors.push(invalid(at, name, 'must match the name of an entry in `spec.resourceClaims`'))
    if (seen.has(name)) errors.push(duplicate(at, name))
    seen.add(name)
    if (resourceClaimName !== undefined) report(nameIsDnsSubdomain(resourceClaimName, false), at, resourceClaimName, errors)
  })
}

/** At most one address of each family. */
function checkAddresses(addresses: readonly ApiStruct[], list: 'podIPs' | 'hostIPs', errors: Errors): void {
  const path = STATUS.child(list)
  addresses.forEach(({ ip = '' }, i) => {
    checkIP(ip, path.index(i), errors)
  })
  if (addresses.length < 2) return
  const valid = addresses.map(({ ip = '' }) => ip).filter(ip => isValidIP(ip).length === 0)
  const dualStack = valid.length === addresses.length && new Set(valid.map(isIPv6)).size === 2
  if (!dualStack || addresses.length > 2)
    errors.push(invalid(path, goMember('core.PodStatus', list, addresses), 'may specify no more than one IP for each IP family'))
  const seen = new Set<string>()
  addresses.forEach((address, i) => {
    if (seen.has(address.ip)) errors.push(duplicate(path.index(i), goValue(list === 'podIPs' ? 'core.PodIP' : 'core.HostIP', address)))
    seen.add(address.ip)
  })
}

function checkUsers(statuses: readonly ApiStruct[], os: string, path: FieldPath, errors: Errors): void {
  statuses.forEach(({ user }, i) => {
    const linux = user?.linux
    if (!linux) return
    const at = path.index(i).child('user', 'linux')
    if (os === 'windows') errors.push(forbidden(at, 'cannot be set for a windows pod'))
    if (os !== 'linux') return
    report(isValidUserId(linux.uid ?? 0), at.child('uid'), linux.uid ?? 0, errors)
    report(isValidGroupId(linux.gid ?? 0), at.child('gid'), linux.gid ?? 0, errors)
    const groups: number[] = linux.supplementalGroups ?? []
    groups.forEach((gid, j) => {
      report(isValidGroupId(gid), at.child('supplementalGroups').index(j), gid, errors)
    })
  })
}

const HEALTH = ['Healthy', 'Unhealthy', 'Unknown']
const NO_CLAIM = "must match one of the container's resource claims in a format 'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty"
const NO_REQUEST = "must match one of the container's resource requests"

function checkAllocated(statuses: readonly ApiStruct[], containers: readonly ApiStruct[], path: FieldPath, errors: Errors): void {
  const byName = new Map<string, { readonly container: ApiStruct; readonly claims: ReadonlySet<string> }>()
  for (const container of containers) {
    const claims: ApiStruct[] = container.resources?.claims ?? []
    const names = new Set(claims.map(({ name, request }) => `claim:${name}${request ? `/${request}` : ''}`))
    if (!byName.has(container.name)) byName.set(container.name, { container, claims: names })
  }
  statuses.forEach((status, i) => {
    const allocated: ApiStruct[] = status.allocatedResourcesStatus ?? []
    allocated.forEach(({ name = '', resources = [] }, j) => {
      const at = path.index(i).child('allocatedResourcesStatus').index(j)
      const known = byName.get(status.name)
      const isClaim = name.startsWith('claim:')
      const found = isClaim ? known?.claims.has(name) : Object.hasOwn(known?.container.resources?.requests ?? {}, name)
      if (known && !found) errors.push(invalid(at.child('name'), name, isClaim ? NO_CLAIM : NO_REQUEST))
      const seen = new Set<string>()
      const parts: ApiStruct[] = resources
      parts.forEach(({ resourceID = '', health = '' }, k) => {
        const part = at.child('resources').index(k)
        if (!HEALTH.includes(health)) errors.push(notSupported(part.child('health'), health, HEALTH))
        if (seen.has(resourceID)) errors.push(duplicate(part.child('resourceID'), resourceID))
        seen.add(resourceID)
      })
    })
  })
}
