import type { Endpoint, EndpointHints, EndpointPort, EndpointSlice } from '../../../api/discovery/v1.types.ts'
import type { HookContext } from '../../../catalog/strategy.ts'
import { enumValues } from '../../../catalog/types.ts'
import { repeats } from '../../../lib/repeats.ts'
import { isStepDone, type Steps } from '../../../lib/steps.ts'
import { memberNames } from '../../../lib/wide-objects.ts'
import { isSince } from '../../../lifecycle/release.ts'
import { deepEqualBySize } from '../../../meta/equal.ts'
import type { Detail, FieldError } from '../../../meta/field-error.ts'
import { covered, duplicate, invalid, notSupported, required, tooMany } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { parseIp, validateIpStrict } from '../../../meta/ip.ts'
import { isDns1123Label, isDns1123Subdomain, isQualifiedName, isValidLabelValue, nameIsDnsSubdomain } from '../../../meta/names.ts'
import { labelErrors, validateImmutableField } from '../../../meta/object-meta-validation.ts'
import { PORT_PROTOCOLS, validateNonSpecialIP } from '../../core/endpoints/validation.ts'
import { type LegacyAddresses, legacyAddresses } from '../../shared/legacy-addresses.ts'

const ADDRESS_TYPES = enumValues('discovery.AddressType')
const MOST_ENDPOINTS = 1000
const MOST_ADDRESSES = 100
const MOST_TOPOLOGY_LABELS = 16
const MOST_HINTS = 8
/** Limit on ports. It exceeds the one in the description of the field, as in upstream. */
const MOST_PORTS = 20_000

/** Checks a domain with at least two labels. A trailing dot is allowed, and omitted in errors. */
function validateDomain(text: string, path: FieldPath): FieldError[] {
  if (text === '') return [required(path)]
  const name = text.replace(/\.$/, '')
  const texts = isDns1123Subdomain(name)
  if (texts.length > 0) return [invalid(path, name, texts.join(','))]
  const labels = name.split('.')
  if (labels.length < 2) return [invalid(path, name, 'should be a domain with at least two segments separated by dots')]
  const long = labels.find(label => isDns1123Label(label).length > 0)
  return long === undefined ? [] : [invalid(path, long, isDns1123Label(long).join(','))]
}

/** Rules for the notation of addresses. */
interface AddressRules {
  readonly legacy: LegacyAddresses
  /** Whether IPv6 addresses must be canonical, as since 1.33. */
  readonly isStrict: boolean
}

function validateIP(text: string, family: 'IPv4' | 'IPv6', path: FieldPath, { legacy, isStrict }: AddressRules): FieldError[] {
  const errors = family === 'IPv6' && isStrict ? validateIpStrict(path, text) : legacy.ip(text, path)
  if (errors.length > 0) return errors
  const matches = parseIp(text)?.length === (family === 'IPv4' ? 4 : 16)
  return [...(matches ? [] : [invalid(path, text, `must be an ${family} address`)]), ...validateNonSpecialIP(text, path)]
}

function validateAddress(address: string, type: string, path: FieldPath, rules: AddressRules): FieldError[] {
  if (type === 'FQDN') return validateDomain(address, path)
  // Without a valid type the addresses cannot be validated.
  return type === 'IPv4' || type === 'IPv6' ? validateIP(address, type, path, rules) : []
}

/**
 * Validates hints. Zones are label values, nodes are DNS subdomains. If there are too many zones, forNodes is not
 * validated.
 */
function validateHints(hints: EndpointHints, path: FieldPath): FieldError[] {
  const namesErrors = (member: 'forZones' | 'forNodes', check: (name: string) => Detail[]): FieldError[] => {
    const at = path.child(member)
    const names = (hints[member] ?? []).map(({ name }) => name)
    if (names.length > MOST_HINTS) return [tooMany(at, names.length, MOST_HINTS)]
    const again = repeats(names)
    return names.flatMap((name, i) => [
      ...(again[i] ? [duplicate(at.index(i).child('name'), name)] : []),
      ...check(name).map(text => invalid(at.index(i).child('name'), name, text)),
    ])
  }
  if ((hints.forZones ?? []).length > MOST_HINTS) return namesErrors('forZones', isValidLabelValue)
  return [...namesErrors('forZones', isValidLabelValue), ...namesErrors('forNodes', name => nameIsDnsSubdomain(name, false))]
}

/** Validates an endpoint, in the order of its fields and in steps of one address. */
function* validateEndpoint(endpoint: Endpoint, type: string, path: FieldPath, rules: AddressRules): Steps<FieldError[]> {
  const { nodeName, deprecatedTopology: topology, hostname, hints } = endpoint
  const addresses = endpoint.addresses ?? []
  const at = path.child('addresses')
  const topologyPath = path.child('deprecatedTopology')
  const labels = (yield* memberNames(topology ?? {})).length
  const addressErrors: FieldError[] = []
  for (const [i, address] of addresses.entries()) {
    addressErrors.push(...validateAddress(address, type, at.index(i), rules))
    if (isStepDone()) yield
  }
  return [
    ...(addresses.length === 0 ? covered('', [required(at, 'must contain at least 1 address')]) : []),
    ...(addresses.length > MOST_ADDRESSES ? covered('maxItems', [tooMany(at, addresses.length, MOST_ADDRESSES)]) : []),
    ...addressErrors,
    ...(nodeName === undefined ? [] : nameIsDnsSubdomain(nodeName, false).map(text => invalid(path.child('nodeName'), nodeName, text))),
    ...(labels > MOST_TOPOLOGY_LABELS ? [tooMany(topologyPath, labels, MOST_TOPOLOGY_LABELS)] : []),
    ...(yield* labelErrors(topology ?? {}, topologyPath)),
    ...(hostname === undefined ? [] : isDns1123Label(hostname).map(text => invalid(path.child('hostname'), hostname, text))),
    ...(hints ? validateHints(hints, path.child('hints')) : []),
  ]
}

/** Validates ports. Names are unique, including the empty one. Too many ports are a single error. */
function validatePorts(ports: readonly EndpointPort[], path: FieldPath): FieldError[] {
  if (ports.length > MOST_PORTS) return [tooMany(path, ports.length, MOST_PORTS)]
  const names = new Set<string>()
  return ports.flatMap(({ name = '', protocol, appProtocol }, i) => {
    const at = path.index(i)
    const twice = names.has(name) ? [duplicate(at.child('name'), name)] : []
    names.add(name)
    return [
      ...(name === '' ? [] : isDns1123Label(name).map(text => invalid(at.child('name'), name, text))),
      ...twice,
      ...(protocol !== undefined && !PORT_PROTOCOLS.includes(protocol)
        ? [notSupported(at.child('protocol'), protocol, PORT_PROTOCOLS)]
        : []),
      ...(appProtocol === undefined ? [] : isQualifiedName(appProtocol).map(text => invalid(at.child('appProtocol'), appProtocol, text))),
    ]
  })
}

/** Validates endpoints. Too many endpoints are a single error. */
function* validateEndpoints(endpoints: readonly Endpoint[], type: string, path: FieldPath, rules: AddressRules): Steps<FieldError[]> {
  if (endpoints.length > MOST_ENDPOINTS) return [tooMany(path, endpoints.length, MOST_ENDPOINTS)]
  const errors: FieldError[] = []
  for (const [i, endpoint] of endpoints.entries()) errors.push(...(yield* validateEndpoint(endpoint, type, path.index(i), rules)))
  return errors
}

/**
 * Validates a slice, in steps, as it has up to 1000 endpoints of up to 100 addresses each. Since 1.33 unchanged
 * endpoints are not validated on update, and the errors of ports precede those of endpoints. Source:
 * pkg/apis/discovery/validation in k8s.io/kubernetes.
 */
export function* validateEndpointSlice(
  { addressType, endpoints, ports }: EndpointSlice,
  old: EndpointSlice | undefined,
  { features }: Pick<HookContext, 'features'>,
): Steps<FieldError[]> {
  const path = fieldPath('addressType')
  const isStrict = isSince(features.release, '1.33')
  const rules = { legacy: legacyAddresses(features), isStrict }
  const portErrors = validatePorts(ports ?? [], fieldPath('ports'))
  // Endpoints that an older release accepted may stay.
  const mayStay = isStrict && old !== undefined && (yield* deepEqualBySize(endpoints, old.endpoints))
  const endpointErrors = mayStay ? [] : yield* validateEndpoints(endpoints ?? [], addressType, fieldPath('endpoints'), rules)
  return [
    ...covered(
      '',
      addressType === '' ? [required(path)] : ADDRESS_TYPES.includes(addressType) ? [] : [notSupported(path, addressType, ADDRESS_TYPES)],
    ),
    ...(isStrict ? [...portErrors, ...endpointErrors] : [...endpointErrors, ...portErrors]),
    ...(old ? covered('immutable', validateImmutableField(addressType, old.addressType, path)) : []),
  ]
}
