import type { IPBlock, NetworkPolicy, NetworkPolicyPeer, NetworkPolicyPort } from '../../../api/networking/v1.types.ts'
import type { HookContext } from '../../../catalog/strategy.ts'
import { enumValues } from '../../../catalog/types.ts'
import { isStepDone, type Steps } from '../../../lib/steps.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { appendErrors, covered, forbidden, invalid, notSupported, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import type { Cidr } from '../../../meta/ip.ts'
import { parseCidr } from '../../../meta/ip.ts'
import { itemErrors } from '../../../meta/item-errors.ts'
import type { LabelSelectorRules } from '../../../meta/label-selector.ts'
import { labelSelectorErrors } from '../../../meta/label-selector.ts'
import { isValidPortName, isValidPortNum } from '../../../meta/names.ts'
import { goStringList } from '../../shared/go-syntax.ts'
import { type LegacyAddresses, legacyAddresses } from '../../shared/legacy-addresses.ts'
import { selectorRules, validateSelectorsInSteps } from '../../shared/selector-rules.ts'
import { allRules } from './peers.ts'

const PROTOCOLS = enumValues('networking.Protocol', 'TCP', 'UDP')
const POLICY_TYPES = enumValues('networking.PolicyType', 'Ingress')

/**
 * Validates a port. endPort requires a numeric port that is not greater. If it is greater, the error for endPort shows
 * the value of `port`.
 */
function validatePolicyPort({ protocol, port, endPort }: NetworkPolicyPort, path: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  const end = path.child('endPort')
  if (protocol !== undefined && !PROTOCOLS.includes(protocol)) errors.push(notSupported(path.child('protocol'), protocol, PROTOCOLS))
  if (port === undefined) {
    if (endPort !== undefined) errors.push(invalid(end, endPort, 'may not be specified when `port` is not specified'))
    return errors
  }
  if (typeof port === 'string') {
    if (endPort !== undefined) errors.push(invalid(end, endPort, 'may not be specified when `port` is non-numeric'))
    return [...errors, ...isValidPortName(port).map(text => invalid(path.child('port'), port, text))]
  }
  errors.push(...isValidPortNum(port).map(text => invalid(path.child('port'), port, text)))
  if (endPort === undefined) return errors
  if (endPort < port) errors.push(invalid(end, port, 'must be greater than or equal to `port`'))
  return [...errors, ...isValidPortNum(endPort).map(text => invalid(end, endPort, text))]
}

/**
 * Reports whether `inner` has the same family, a longer prefix, and the same first `outer.prefix` bits. The mask of a
 * byte is the low byte of 0xff00 >> n: its first n bits.
 */
const isStrictlyWithin = (inner: Cidr, outer: Cidr): boolean =>
  inner.family === outer.family &&
  inner.prefix > outer.prefix &&
  outer.network.every((byte, i) => byte === ((inner.network[i] ?? 0) & (0xff00 >> Math.min(8, Math.max(0, outer.prefix - i * 8)))))

/** Validates an IP block. If cidr is invalid, `except` is not validated, since its entries are compared with cidr. */
function* validateBlock({ cidr, except = [] }: IPBlock, path: FieldPath, addresses: LegacyAddresses): Steps<FieldError[]> {
  if (!cidr) return covered('', [required(path.child('cidr'))])
  const outer = parseCidr(cidr)
  const errors = addresses.cidr(cidr, path.child('cidr'))
  if (!outer) return errors
  const ofExceptions = yield* itemErrors(except, path.child('except'), (text, at) => {
    const inner = parseCidr(text)
    const found = addresses.cidr(text, at)
    return inner && !isStrictlyWithin(inner, outer) ? [...found, invalid(at, text, 'must be a strict subset of `cidr`')] : found
  })
  return appendErrors(errors, ofExceptions)
}

/** Faults that an update may keep. */
interface PeerRules extends LabelSelectorRules {
  readonly addresses: LegacyAddresses
}

function* addressesOf({ spec }: NetworkPolicy): Steps<Set<string>> {
  const addresses = new Set<string>()
  for (const { peers } of allRules(spec)) {
    if (isStepDone()) yield
    for (const { ipBlock } of peers) {
      if (isStepDone()) yield
      if (!ipBlock) continue
      addresses.add(ipBlock.cidr ?? '')
      for (const text of ipBlock.except ?? []) {
        if (isStepDone()) yield
        addresses.add(text)
      }
    }
  }
  return addresses
}

/** Validates a peer. Selectors may be combined; ipBlock must be alone. One of the three is required. */
function* validatePeer(
  { podSelector, namespaceSelector, ipBlock }: NetworkPolicyPeer,
  path: FieldPath,
  rules: PeerRules,
): Steps<FieldError[]> {
  const errors: FieldError[] = []
  if (podSelector) appendErrors(errors, yield* labelSelectorErrors(podSelector, path.child('podSelector'), rules))
  if (namespaceSelector) appendErrors(errors, yield* labelSelectorErrors(namespaceSelector, path.child('namespaceSelector'), rules))
  if (ipBlock) {
    appendErrors(errors, yield* validateBlock(ipBlock, path.child('ipBlock'), rules.addresses))
    if (podSelector || namespaceSelector) errors.push(forbidden(path, 'may not specify both ipBlock and another peer'))
  } else if (!podSelector && !namespaceSelector) errors.push(required(path, 'must specify a peer'))
  return errors
}

/** Validates policy types. More than two are a single error, and their values are not validated then. */
function validatePolicyTypes(policyTypes: readonly string[], path: FieldPath): FieldError[] {
  if (policyTypes.length > POLICY_TYPES.length) {
    return [invalid(path, goStringList(policyTypes, '[]networking.PolicyType'), 'may not specify more than two policyTypes')]
  }
  return policyTypes.flatMap((type, i) => (POLICY_TYPES.includes(type) ? [] : [notSupported(path.index(i), type, POLICY_TYPES)]))
}

/**
 * Validates a policy. An update accepts invalid values in selectors if the old pod selector has some, and addresses of
 * the old object. Source: pkg/apis/networking/validation in k8s.io/kubernetes.
 */
export function* validateNetworkPolicy(
  { spec }: NetworkPolicy,
  old: NetworkPolicy | undefined,
  { features }: Pick<HookContext, 'features'>,
): Steps<FieldError[]> {
  const path = fieldPath('spec')
  const selector = path.child('podSelector')
  yield* validateSelectorsInSteps(undefined, selector, old?.spec.podSelector, features)
  const rules = {
    ...selectorRules(features, old?.spec.podSelector),
    addresses: legacyAddresses(features, old && (yield* addressesOf(old))),
  }
  const errors = yield* labelSelectorErrors(spec.podSelector, selector, rules)
  for (const rule of allRules(spec)) {
    if (isStepDone()) yield
    appendErrors(errors, yield* itemErrors(rule.ports, rule.path.child('ports'), validatePolicyPort))
    appendErrors(errors, yield* itemErrors(rule.peers, rule.peersPath, (peer, at) => validatePeer(peer, at, rules)))
  }
  errors.push(...validatePolicyTypes(spec.policyTypes ?? [], path.child('policyTypes')))
  // Upstream validates an updated object twice, and reports every error twice.
  return old ? [...errors, ...errors] : errors
}
