import type { Features } from '../../lifecycle/gates.ts'
import { type FieldError, invalid } from '../../meta/field-error.ts'
import type { FieldPath } from '../../meta/field-path.ts'
import { cidrFault, ipFault } from '../../meta/ip.ts'

/** Validation of addresses in fields that predate strict validation. They need not be canonical. */
export interface LegacyAddresses {
  ip(text: string, path: FieldPath): FieldError[]
  cidr(text: string, path: FieldPath): FieldError[]
}

/**
 * Creates the validators. Without the gate StrictIPCIDRValidation, leading zeros, IPv4-mapped IPv6 addresses and bits
 * beyond the prefix are accepted with a warning (KEP-4858). `stored` are addresses of the old object, which stay valid.
 * Source: pkg/util/validation/ip.go in k8s.io/apimachinery.
 */
export function legacyAddresses(features: Pick<Features, 'enabled'>, stored: Iterable<string> = []): LegacyAddresses {
  const isStrict = features.enabled('StrictIPCIDRValidation')
  const known = new Set(stored)
  const errorsOf = (fault: (text: string, isStrict: boolean) => string | undefined) => (text: string, path: FieldPath) => {
    const found = known.has(text) ? undefined : fault(text, isStrict)
    return found === undefined ? [] : [invalid(path, text, found)]
  }
  return { ip: errorsOf(ipFault), cidr: errorsOf(cidrFault) }
}
