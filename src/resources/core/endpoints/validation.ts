import type { EndpointAddress, EndpointPort, EndpointSubset, Endpoints } from '../../../api/core/v1.types.ts'
import type { HookContext } from '../../../catalog/strategy.ts'
import { enumValues } from '../../../catalog/types.ts'
import { isStepDone, type Steps } from '../../../lib/steps.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import { isSince } from '../../../lifecycle/release.ts'
import { deepEqualInSteps } from '../../../meta/equal.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { invalid, notSupported, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { parseIp } from '../../../meta/ip.ts'
import { isDns1123Label, isDns1123Subdomain, isQualifiedName, isValidPortNum } from '../../../meta/names.ts'
import { type LegacyAddresses, legacyAddresses } from '../../shared/legacy-addresses.ts'

/** Protocols that ports of services and endpoints support. */
export const PORT_PROTOCOLS = enumValues('core.Protocol')

/** Refuses addresses that are meaningful only within one machine or link, since traffic cannot be sent to them. */
export function validateNonSpecialIP(text: string, path: FieldPath): FieldError[] {
  const ip = parseIp(text)
  if (!ip) return [invalid(path, text, 'must be a valid IP address')]
  const [a = 0, b = 0, c = 0] = ip
  const v4 = ip.length === 4
  const errors: FieldError[] = []
  if (ip.every(byte => byte === 0)) errors.push(invalid(path, text, `may not be unspecified (${text})`))
  if (v4 ? a === 127 : ip.every((byte, i) => byte === (i === 15 ? 1 : 0))) {
    errors.push(invalid(path, text, 'may not be in the loopback range (127.0.0.0/8, ::1/128)'))
  }
  if (v4 ? a === 169 && b === 254 : a === 0xfe && (b & 0xc0) === 0x80) {
    errors.push(invalid(path, text, 'may not be in the link-local range (169.254.0.0/16, fe80::/10)'))
  }
  if (v4 ? a === 224 && b === 0 && c === 0 : a === 0xff && (b & 0x0f) === 0x02) {
    errors.push(invalid(path, text, 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)'))
  }
  return errors
}

/**
 * An address that cannot be parsed is reported twice: once for its form, and once because its range cannot be checked.
 */
function validateAddress({ ip, hostname, nodeName }: EndpointAddress, path: FieldPath, legacy: LegacyAddresses): FieldError[] {
  return [
    ...legacy.ip(ip, path.child('ip')),
    ...(hostname ? isDns1123Label(hostname).map(text => invalid(path.child('hostname'), hostname, text)) : []),
    ...(nodeName === undefined ? [] : isDns1123Subdomain(nodeName).map(text => invalid(path.child('nodeName'), nodeName, text))),
    ...validateNonSpecialIP(ip, path.child('ip')),
  ]
}

/** `requireName` is set if the subset has several ports. Names need not be unique. */
function validateEndpointPort({ name, port, protocol, appProtocol }: EndpointPort, requireName: boolean, path: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  if (name) errors.push(...isDns1123Label(name).map(text => invalid(path.child('name'), name, text)))
  else if (requireName) errors.push(required(path.child('name')))
  errors.push(...isValidPortNum(port).map(text => invalid(path.child('port'), port, text)))
  if (!protocol) errors.push(required(path.child('protocol')))
  else if (!PORT_PROTOCOLS.includes(protocol)) errors.push(notSupported(path.child('protocol'), protocol, PORT_PROTOCOLS))
  if (appProtocol !== undefined)
    errors.push(...isQualifiedName(appProtocol).map(text => invalid(path.child('appProtocol'), appProtocol, text)))
  return errors
}

const TRIGGER_TIME = 'endpoints.kubernetes.io/last-change-trigger-time'

/**
 * Checks the annotation from which programming latency is measured. Its path lacks `metadata`, as upstream's does. Only
 * the form of RFC 3339 is checked, not the calendar.
 */
function validateTriggerTime(object: Endpoints): FieldError[] {
  const text = object.metadata.annotations?.[TRIGGER_TIME]
  if (text === undefined || /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text)) return []
  return [
    invalid(
      fieldPath('annotations').key(TRIGGER_TIME),
      text,
      `parsing time ${JSON.stringify(text)} as "2006-01-02T15:04:05.999999999Z07:00": cannot parse`,
    ),
  ]
}

/** Checks addresses and ports of each subset. Loopback, link-local and multicast addresses are refused. */
function* validateSubsets(subsets: readonly EndpointSubset[], features: Features): Steps<FieldError[]> {
  const legacy = legacyAddresses(features)
  const errors: FieldError[] = []
  for (const [i, subset] of subsets.entries()) {
    const path = fieldPath('subsets').index(i)
    const { addresses = [], notReadyAddresses = [], ports = [] } = subset
    if (addresses.length + notReadyAddresses.length === 0) errors.push(required(path, 'must specify `addresses` or `notReadyAddresses`'))
    for (const [name, list] of [
      ['addresses', addresses],
      ['notReadyAddresses', notReadyAddresses],
    ] as const)
      for (const [j, address] of list.entries()) {
        if (isStepDone()) yield
        errors.push(...validateAddress(address, path.child(name).index(j), legacy))
      }
    for (const [j, port] of ports.entries()) {
      if (isStepDone()) yield
      errors.push(...validateEndpointPort(port, ports.length > 1, path.child('ports').index(j)))
    }
  }
  return errors
}

/**
 * Validates Endpoints. Since 1.33 an update that leaves the subsets unchanged is accepted even if they are invalid.
 * Source: pkg/apis/core/validation in k8s.io/kubernetes.
 */
export function* validateEndpoints(
  next: Endpoints,
  old: Endpoints | undefined,
  { features }: Pick<HookContext, 'features'>,
): Steps<FieldError[]> {
  const errors = yield* validateSubsets(next.subsets ?? [], features)
  const mayStay = errors.length > 0 && old !== undefined && isSince(features.release, '1.33')
  const isStored = mayStay && (yield* deepEqualInSteps(old.subsets, next.subsets))
  return [...validateTriggerTime(next), ...(isStored ? [] : errors)]
}
