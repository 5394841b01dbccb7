import type { Service } from '../../../api/core/v1.types.ts'
import { enumValues } from '../../../catalog/types.ts'
import { repeats } from '../../../lib/repeats.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { duplicate, invalid, required } from '../../../meta/field-error.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { isIPv6 } from '../../../meta/ip.ts'
import { goStringList } from '../../shared/go-syntax.ts'
import type { LegacyAddresses } from '../../shared/legacy-addresses.ts'
import { validateOneOf } from '../../shared/word-lists.ts'
import { clusterIPsOf, familiesOf, HEADLESS, isHeadless, serviceTypeOf } from './fields.ts'

const IPS = fieldPath('spec', 'clusterIPs')
const FAMILIES = fieldPath('spec', 'ipFamilies')
const POLICY = fieldPath('spec', 'ipFamilyPolicy')
/** Families of a service. The declaration also lists the empty one. */
const IP_FAMILIES = enumValues('core.IPFamily').filter(family => family !== '')
const FAMILY_POLICIES = enumValues('core.IPFamilyPolicy')

const printedIPs = (service: Service) => goStringList(service.spec.clusterIPs)
const printedFamilies = (service: Service) => goStringList(service.spec.ipFamilies, '[]core.IPFamily')

/**
 * Checks that clusterIP, clusterIPs, ipFamilies and ipFamilyPolicy are consistent. `policy` is that of the object, or
 * the one that it will get. Errors come in this order: clusterIP against clusterIPs, families, policy, each address,
 * number of addresses. Addresses are compared with families only if all are well-formed. ExternalName services are not
 * checked here. Source: pkg/apis/core/validation in k8s.io/kubernetes.
 */
export function validateClusterIPs(
  service: Service,
  addresses: LegacyAddresses,
  policy: string | undefined = service.spec.ipFamilyPolicy,
): FieldError[] {
  if (serviceTypeOf(service) === 'ExternalName') return []
  const errors: FieldError[] = []
  const ips = clusterIPsOf(service)
  const single: string = service.spec.clusterIP ?? ''
  if (single !== '') {
    if (ips.length === 0) errors.push(required(IPS))
    else if (ips[0] !== single) errors.push(invalid(IPS, printedIPs(service), 'first value must match `clusterIP`'))
  } else if (ips.length > 0) {
    errors.push(invalid(IPS, printedIPs(service), 'must be empty when `clusterIP` is not specified'))
  }

  const families = familiesOf(service)
  const again = repeats(families)
  for (const [i, family] of families.entries()) {
    errors.push(...validateOneOf(family, IP_FAMILIES, FAMILIES.index(i)))
    if (again[i]) errors.push(duplicate(FAMILIES.index(i), family))
  }
  errors.push(...validateOneOf(policy, FAMILY_POLICIES, POLICY))

  let wrong = false
  for (const [i, ip] of ips.entries()) {
    if (i === 0 && ip === HEADLESS) {
      if (ips.length === 1) continue
      wrong = true
      errors.push(invalid(IPS, printedIPs(service), "'None' must be the first and only value"))
      continue
    }
    const found = addresses.ip(ip, IPS.index(i))
    wrong ||= found.length > 0
    errors.push(...found)
  }
  if (ips.length > 2) errors.push(invalid(IPS, printedIPs(service), 'may only hold up to 2 values'))
  if (wrong) return errors
  // Two addresses must have different families, in either order. More than two addresses were reported above.
  const kinds = new Set(ips.map(isIPv6))
  if (ips.length > 1 && kinds.size < 2) errors.push(invalid(IPS, printedIPs(service), 'may specify no more than one IP for each IP family'))
  if (!isHeadless(service)) {
    for (const [i, ip] of ips.entries()) {
      // An address without a family at its index is not compared: the family is derived from the address
      // (ip-families.ts).
      const family = families[i]
      if ((family === 'IPv4' || family === 'IPv6') && isIPv6(ip) !== (family === 'IPv6')) {
        errors.push(invalid(IPS.index(i), ip, `expected an ${family} value as indicated by \`ipFamilies[${i}]\``))
      }
    }
  }
  return errors
}

/**
 * Checks that the first address does not change. A second one may be added, and may be removed only with the policy
 * SingleStack. Skipped if either type is ExternalName, or both services are headless.
 */
export function validateClusterIPsUpdate(next: Service, old: Service): FieldError[] {
  if (serviceTypeOf(next) === 'ExternalName' || serviceTypeOf(old) === 'ExternalName' || (isHeadless(old) && isHeadless(next))) return []
  const errors: FieldError[] = []
  const now = clusterIPsOf(next)
  const before = clusterIPsOf(old)
  const changed = (i: number): number => errors.push(invalid(IPS.index(i), printedIPs(next), 'may not change once set'))
  if (now.length === before.length) {
    for (const [i, ip] of before.entries()) if (ip !== now[i]) changed(i)
  } else if (now.length < before.length) {
    if (now.length === 0) errors.push(invalid(IPS.index(0), printedIPs(next), 'primary clusterIP can not be unset'))
    else if (now[0] !== before[0]) changed(0)
    if (now.length === 1 && next.spec.ipFamilyPolicy !== 'SingleStack') {
      errors.push(invalid(POLICY, next.spec.ipFamilyPolicy, "must be set to 'SingleStack' when releasing the secondary clusterIP"))
    }
  } else if (before.length > 0 && now[0] !== before[0]) changed(0)
  return errors
}

/**
 * Checks that the first family does not change. A second one may be added, and may be removed only with the policy
 * SingleStack. Skipped if either service has the type ExternalName or is headless. All errors have the index 0. If the
 * number of families changes as well, the error of the first family shows clusterIPs as its value.
 */
export function validateFamiliesUpdate(next: Service, old: Service): FieldError[] {
  if (serviceTypeOf(next) === 'ExternalName' || serviceTypeOf(old) === 'ExternalName' || isHeadless(old) || isHeadless(next)) return []
  const errors: FieldError[] = []
  const now = familiesOf(next)
  const before = familiesOf(old)
  if (now.length === before.length) {
    for (const [i, family] of before.entries()) {
      if (family !== now[i]) errors.push(invalid(FAMILIES.index(0), printedFamilies(next), 'may not change once set'))
    }
    return errors
  }
  const changed = now.length > 0 && before.length > 0 && now[0] !== before[0]
  if (now.length < before.length && clusterIPsOf(next).length === 0) {
    errors.push(invalid(FAMILIES.index(0), printedFamilies(next), 'primary ipFamily can not be unset'))
  }
  if (changed) errors.push(invalid(FAMILIES.index(0), printedIPs(next), 'may not change once set'))
  if (now.length < before.length && now.length === 1 && next.spec.ipFamilyPolicy !== 'SingleStack') {
    errors.push(invalid(POLICY, next.spec.ipFamilyPolicy, "must be set to 'SingleStack' when releasing the secondary ipFamily"))
  }
  return errors
}
