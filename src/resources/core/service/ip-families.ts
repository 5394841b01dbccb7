import type { IPFamily, IPFamilyPolicy, Service } from '../../../api/core/v1.types.ts'
import type { Unlisted } from '../../../api/meta/object.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { invalid } from '../../../meta/field-error.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { isIPv6 } from '../../../meta/ip.ts'
import { goStringList } from '../../shared/go-syntax.ts'
import { legacyAddresses } from '../../shared/legacy-addresses.ts'
import { validateClusterIPs } from './cluster-ips-validation.ts'
import { clusterIPsOf, familiesOf, HEADLESS, hasSelector, needsClusterIP, sameList, serviceTypeOf } from './fields.ts'

/** Family of an address, or of a range. */
export type AddressFamily = Exclude<IPFamily, '' | Unlisted>

const POLICY = fieldPath('spec', 'ipFamilyPolicy')
const other = (family: string | undefined): AddressFamily => (family === 'IPv4' ? 'IPv6' : 'IPv4')

/**
 * Reports whether an update leaves the families of a PreferDualStack service unchanged, so that a cluster that has
 * become dual-stack does not upgrade it. True only if type, addresses and families are unchanged, and the old policy is
 * PreferDualStack or unset.
 */
export function keepsPreference(next: Service, old: Service | undefined): boolean {
  if (!old || next.spec.ipFamilyPolicy !== 'PreferDualStack' || serviceTypeOf(old) !== serviceTypeOf(next) || !needsClusterIP(next))
    return false
  if (old.spec.ipFamilyPolicy !== undefined && old.spec.ipFamilyPolicy !== 'PreferDualStack') return false
  return sameList(clusterIPsOf(old), clusterIPsOf(next)) && sameList(familiesOf(old), familiesOf(next))
}

/**
 * Fills in ipFamilyPolicy and ipFamilies. `configured` lists the families that have a range, the default one first. The
 * policy is that of the object, or else of the old object, or else RequireDualStack for a headless service without
 * selector and SingleStack for any other. If there are errors, the object is not changed. Idempotent. Each group of
 * checks runs only if the previous one has no errors: fields against each other, then addresses and families against
 * the policy, then families against the ranges. Source: pkg/registry/core/service/storage in k8s.io/kubernetes.
 */
export function settleFamilies(
  next: Service,
  old: Service | undefined,
  configured: readonly AddressFamily[],
  features: Pick<Features, 'enabled'>,
): FieldError[] {
  if (!needsClusterIP(next) || keepsPreference(next, old)) return []
  const { spec } = next
  const headlessAlone = spec.clusterIP === HEADLESS && !hasSelector(next)
  const policy = spec.ipFamilyPolicy ?? old?.spec.ipFamilyPolicy ?? (headlessAlone ? 'RequireDualStack' : 'SingleStack')
  const related = validateClusterIPs(next, legacyAddresses(features, old?.spec.clusterIPs), policy)
  if (related.length > 0) return related

  let ips = clusterIPsOf(next)
  let families = [...familiesOf(next)]
  const errors: FieldError[] = []
  const wrongPolicy = (detail: string): number => errors.push(invalid(POLICY, policy, detail))
  if (old && policy === 'SingleStack') {
    // A change to SingleStack releases the second family.
    if (sameList(clusterIPsOf(old), ips)) ips = ips.slice(0, 1)
    if (sameList(familiesOf(old), families)) families = families.slice(0, 1)
  } else if (old) {
    const isReduced = (now: readonly string[], before: readonly string[]): boolean => now.length > 0 && now.length < before.length
    if (isReduced(ips, clusterIPsOf(old))) wrongPolicy("must be 'SingleStack' to release the secondary cluster IP")
    if (isReduced(families, familiesOf(old))) wrongPolicy("must be 'SingleStack' to release the secondary IP family")
  }
  if (policy === 'SingleStack') {
    const needed = "must be 'RequireDualStack' or 'PreferDualStack' when multiple"
    if (ips.length === 2) wrongPolicy(`${needed} cluster IPs are specified`)
    if (families.length === 2) wrongPolicy(`${needed} IP families are specified`)
  }
  for (const [i, ip] of ips.entries()) {
    if (ip === HEADLESS) break
    if (i < families.length) continue
    // An address without a family at its index implies its own family.
    const family: AddressFamily = isIPv6(ip) ? 'IPv6' : 'IPv4'
    if (configured.includes(family)) families.push(family)
    else errors.push(invalid(fieldPath('spec', 'clusterIPs').index(i), goStringList(ips), `${family} is not configured on this cluster`))
  }
  if (errors.length > 0) return errors

  // The endpoints of a headless service without selector are managed by another client, so it may have families that
  // the cluster lacks.
  const unconfigured = headlessAlone ? [] : validateConfigured(families, policy, configured)
  if (unconfigured.length > 0) return unconfigured

  if (families.length === 0) families.push(configured[0] ?? 'IPv4')
  // PreferDualStack gets a second family only if the cluster has one. RequireDualStack without one has been rejected.
  const hasSecond = headlessAlone || configured.length === 2
  if (policy !== 'SingleStack' && families.length === 1 && hasSecond) families.push(other(families[0]))
  spec.ipFamilyPolicy = policy
  spec.ipFamilies = families
  if (ips.length > 0) spec.clusterIPs = ips
  return []
}

/** Validates the families of a service, and the policy that applies to it, against the families that have a range. */
function validateConfigured(
  families: readonly IPFamily[],
  policy: IPFamilyPolicy | '',
  configured: readonly AddressFamily[],
): FieldError[] {
  const errors: FieldError[] = []
  if (policy === 'RequireDualStack' && configured.length < 2)
    errors.push(invalid(POLICY, policy, 'this cluster is not configured for dual-stack services'))
  for (const [i, family] of families.entries()) {
    if (!configured.some(known => known === family))
      errors.push(invalid(fieldPath('spec', 'ipFamilies').index(i), family, 'not configured on this cluster'))
  }
  return errors
}
