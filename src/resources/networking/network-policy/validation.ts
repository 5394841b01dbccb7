import type { IPBlock, NetworkPolicy, NetworkPolicyPeer, NetworkPolicyPort } from '../../../api/networking/v1.types.ts'
import type { HookContext } from '../../../catalog/strategy.ts'
import { enumValues } from '../../../catalog/types.ts'
import { isStepDone, type Steps } from '../../../lib/steps.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { covered, forbidden, invalid, notSupported, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import type { Cidr } from '../../../meta/ip.ts'
import { parseCidr } from '../../../meta/ip.ts'
import type { LabelSelectorRules } from '../../../meta/label-selector.ts'
import { validateLabelSelector } from '../../../meta/label-selector.ts'
import { isValidPortName, isValidPortNum } from '../../../meta/names.ts'
import { goStringList } from '../../shared/go-syntax.ts'
import { type LegacyAddresses, legacyAddresses } from '../../shared/legacy-addresses.ts'
import { selectorRules } from '../../shared/selector-rules.ts'
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
function validateBlock({ cidr, except = [] }: IPBlock, path: FieldPath, addresses: LegacyAddresses): FieldError[] {
  if (!cidr) return covered('', [required(path.child('cidr'))])
  const outer = parseCidr(cidr)
  const errors = addresses.cidr(cidr, path.child('cidr'))
  if (!outer) return errors
  for (const [i, text] of except.entries()) {
    const at = path.child('except').index(i)
    const inner = parseCidr(text)
    errors.push(...addresses.cidr(text, at))
    if (inner && !isStrictlyWithin(inner, outer)) errors.push(invalid(at, text, 'must be a strict subset of `cidr`'))
  }
  return errors
}

/** Faults that an update may keep. */
interface PeerRules extends LabelSelectorRules {
  readonly addresses: LegacyAddresses
}

const addressesOf = ({ spec }: NetworkPolicy): string[] =>
  [...allRules(spec)].flatMap(({ peers }) =>
    peers.flatMap(({ peer: { ipBlock } }) => (ipBlock ? [ipBlock.cidr ?? '', ...(ipBlock.except ?? [])] : [])),
  )

/** Validates a peer. Selectors may be combined; ipBlock must be alone. One of the three is required. */
function validatePeer({ podSelector, namespaceSelector, ipBlock }: NetworkPolicyPeer, path: FieldPath, rules: PeerRules): FieldError[] {
  const errors = [
    ...validateLabelSelector(podSelector, path.child('podSelector'), rules),
    ...validateLabelSelector(namespaceSelector, path.child('namespaceSelector'), rules),
  ]
  if (ipBlock) {
    errors.push(...validateBlock(ipBlock, path.child('ipBlock'), rules.addresses))
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
  const rules = {
    ...selectorRules(features, old?.spec.podSelector),
    addresses: legacyAddresses(features, old && addressesOf(old)),
  }
  const errors = validateLabelSelector(spec.podSelector, selector, rules)
  for (const rule of allRules(spec)) {
    for (const [i, port] of rule.ports.entries()) {
      if (isStepDone()) yield
      for (const error of validatePolicyPort(port, rule.path.child('ports').index(i))) errors.push(error)
    }
    for (const { peer, path: at } of rule.peers) {
      if (isStepDone()) yield
      for (const error of validatePeer(peer, at, rules)) errors.push(error)
    }
  }
  errors.push(...validatePolicyTypes(spec.policyTypes ?? [], path.child('policyTypes')))
  // Upstream validates an updated object twice, and reports every error twice.
  return old ? [...errors, ...errors] : errors
}
