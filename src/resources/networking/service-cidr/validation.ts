import { quote } from '../../../lib/go-quote.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { invalid, required, verbatim } from '../../../meta/field-error.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { parseCidr, validateCidrStrict } from '../../../meta/ip.ts'
import type { KubeObject } from '../../../meta/object.ts'

const path = fieldPath('spec', 'cidrs')
const IMMUTABLE = 'field is immutable'

function validateCidrs(cidrs: readonly string[]): FieldError[] {
  if (cidrs.length === 0) return [required(path, 'at least one CIDR required')]
  if (cidrs.length > 2) {
    const printed = verbatim(`networking.ServiceCIDRSpec{CIDRs:[]string{${cidrs.map(quote).join(', ')}}}`)
    return [invalid(path, printed, 'may only hold up to 2 values')]
  }
  const errors = cidrs.flatMap((cidr, i) => validateCidrStrict(path.index(i), cidr))
  const [first, second] = cidrs.map(cidr => parseCidr(cidr)?.family)
  if (cidrs.length === 2 && first !== undefined && first === second) {
    errors.push(invalid(path, cidrs, 'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64'))
  }
  return errors
}

/** A range stays; one of the other family may be added to it. */
export function validateServiceCIDR(next: KubeObject, old: KubeObject | undefined): FieldError[] {
  const cidrs: string[] = next.spec?.cidrs ?? []
  if (!old) return validateCidrs(cidrs)
  const before: string[] = old.spec?.cidrs ?? []
  const isDual = before.length === 1 && cidrs.length === 2
  if (before.length !== cidrs.length && !isDual) return [invalid(path, cidrs.length > 0 ? cidrs : verbatim('[]string(nil)'), IMMUTABLE)]
  const changed = before.flatMap((cidr, i) => (cidr === cidrs[i] ? [] : [invalid(path.index(i), cidrs[i], IMMUTABLE)]))
  return isDual ? [...changed, ...validateCidrs(cidrs)] : changed
}
