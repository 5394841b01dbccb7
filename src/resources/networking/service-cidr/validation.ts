import { deepEqual } from '../../../meta/equal.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { invalid, quote, required, verbatim } from '../../../meta/field-error.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { parseCidr, validateCidrStrict } from '../../../meta/ip.ts'
import type { KubeObject } from '../../../meta/object.ts'

export function validateServiceCIDR(next: KubeObject, old: KubeObject | undefined): FieldError[] {
  const path = fieldPath('spec', 'cidrs')
  const cidrs: string[] = next.spec?.cidrs ?? []
  if (old) return deepEqual(cidrs, old.spec?.cidrs) ? [] : [invalid(path, cidrs, 'field is immutable')]
  if (cidrs.length === 0) return [required(path, 'at least one CIDR required')]
  const printed = verbatim(`networking.ServiceCIDRSpec{CIDRs:[]string{${cidrs.map(quote).join(', ')}}}`)
  if (cidrs.length > 2) return [invalid(path, printed, 'may only hold up to 2 values')]
  if (cidrs.length === 2) {
    const families = cidrs.map(cidr => parseCidr(cidr)?.family)
    if (families.includes(undefined) || families[0] === families[1]) {
      return [invalid(path, printed, 'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64')]
    }
  }
  return cidrs.flatMap((cidr, i) => validateCidrStrict(path.index(i), cidr))
}
