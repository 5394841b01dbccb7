import type { Node, NodeAddress, NodeStatus, Taint } from '../../../api/core/v1.types.ts'
import { repeats } from '../../../lib/repeats.ts'
import { isStepDone, type Steps } from '../../../lib/steps.ts'
import { memberNames } from '../../../lib/wide-objects.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import { isSince } from '../../../lifecycle/release.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { appendErrors, duplicate, forbidden, invalid, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { parseCidr } from '../../../meta/ip.ts'
import { isValidLabelValue } from '../../../meta/names.ts'
import { goValue } from '../../shared/go-values.ts'
import { legacyAddresses } from '../../shared/legacy-addresses.ts'
import { validateQualifiedName } from '../checks.ts'
import { validateResourceQuantity } from '../pod-spec/resources.ts'
import { validateTaintEffect } from '../pod-spec/scheduling.ts'
import { validateNodeAnnotations } from './annotations.ts'
import { validateConfigSource, validateConfigStatus } from './config-source.ts'

const CIDRS_PATH = fieldPath('spec', 'podCIDRs')
const CIDR_KEPT = 'node updates may not change podCIDR except from "" to valid'

/**
 * ValidateNode, for creates and updates. Writes to `status` do not run it. Source: pkg/apis/core/validation in
 * k8s.io/kubernetes.
 */
export function* validateNode({ metadata, spec, status }: Node, features: Features): Steps<FieldError[]> {
  const errors = validateNodeAnnotations(metadata.annotations)
  appendErrors(errors, yield* validateTaints(spec.taints ?? []))
  appendErrors(errors, yield* validateAmounts(status))
  return appendErrors(errors, validateCidrs(spec.podCIDRs ?? [], features))
}

/**
 * ValidateNodeUpdate, for updates of the node and of its status. An update of the node runs it after validateNode, so
 * invalid annotations, taints and amounts are reported twice. podCIDRs and providerID may be set once, and externalID
 * never changes.
 */
export function* validateNodeUpdate({ metadata, spec, status }: Node, { spec: old }: Node): Steps<FieldError[]> {
  const errors = validateNodeAnnotations(metadata.annotations)
  appendErrors(errors, yield* validateAmounts(status))
  appendErrors(errors, yield* validateAddresses(status.addresses ?? []))
  appendErrors(errors, validateCidrsKept(spec.podCIDRs ?? [], old.podCIDRs ?? []))
  if (old.providerID && old.providerID !== spec.providerID)
    errors.push(forbidden(fieldPath('spec', 'providerID'), 'node updates may not change providerID except from "" to valid'))
  if (spec.configSource) appendErrors(errors, validateConfigSource(spec.configSource, fieldPath('spec', 'configSource')))
  if (status.config) appendErrors(errors, validateConfigStatus(status.config, fieldPath('status', 'config')))
  appendErrors(errors, yield* validateTaints(spec.taints ?? []))
  if ((spec.externalID ?? '') !== (old.externalID ?? '')) errors.push(forbidden(fieldPath('spec', 'externalID'), 'may not be updated'))
  return errors
}

/** Each pair of type and address must be unique. */
function* validateAddresses(addresses: readonly NodeAddress[]): Steps<FieldError[]> {
  const errors: FieldError[] = []
  const seen = new Set<string>()
  const path = fieldPath('status', 'addresses')
  for (const [i, { type, address }] of addresses.entries()) {
    if (isStepDone()) yield
    const key = JSON.stringify([type, address])
    if (seen.has(key)) errors.push(duplicate(path.index(i), goValue('core.NodeAddress', { type, address })))
    seen.add(key)
  }
  return errors
}

/**
 * podCIDRs may be set if there were none. A different number of them is a single error; otherwise each CIDR that
 * differs is one.
 */
function validateCidrsKept(cidrs: readonly string[], before: readonly string[]): FieldError[] {
  if (before.length === 0) return []
  if (before.length !== cidrs.length) return [forbidden(CIDRS_PATH, CIDR_KEPT)]
  return before.filter((cidr, i) => cidr !== cidrs[i]).map(() => forbidden(CIDRS_PATH, CIDR_KEPT))
}

/** The path begins with `metadata`, as upstream's does, although taints belong to the spec. */
function* validateTaints(taints: readonly Taint[]): Steps<FieldError[]> {
  const errors: FieldError[] = []
  const seen = new Set<string>()
  const path = fieldPath('metadata', 'taints')
  for (const [i, taint] of taints.entries()) {
    if (isStepDone()) yield
    const at = path.index(i)
    errors.push(...validateTaint(taint, at))
    const pair = `${taint.effect}/${taint.key}`
    if (seen.has(pair)) {
      const twice = duplicate(at, goValue('core.Taint', taint))
      errors.push({ ...twice, body: `${twice.body}: taints must be unique by key and effect pair` })
    }
    seen.add(pair)
  }
  return errors
}

/** All violations by the value are combined into one error. */
function validateTaint({ key, value = '', effect }: Taint, path: FieldPath): FieldError[] {
  const errors = validateQualifiedName(key, path.child('key'))
  const texts = isValidLabelValue(value)
  if (texts.length > 0) errors.push(invalid(path.child('value'), value, texts.join(';')))
  if (effect === '') errors.push(required(path.child('effect')))
  else errors.push(...validateTaintEffect(effect, path.child('effect')))
  return errors
}

/** The name of a resource is a path element here, not a map key, whatever it contains. */
function* validateAmounts(status: NodeStatus): Steps<FieldError[]> {
  const errors: FieldError[] = []
  for (const list of ['capacity', 'allocatable'] as const) {
    const amounts = status[list] ?? {}
    for (const name of yield* memberNames(amounts)) {
      if (isStepDone()) yield
      errors.push(...validateResourceQuantity(name, amounts[name] ?? '', fieldPath('status', list, name)))
    }
  }
  return errors
}

/**
 * Checks that there is at most one CIDR of each family. Before 1.33 a duplicate CIDR is a separate error. If there are
 * several and one cannot be parsed, an internal error is reported in addition to the format error.
 */
function validateCidrs(cidrs: readonly string[], features: Features): FieldError[] {
  const addresses = legacyAddresses(features)
  const errors = cidrs.flatMap((cidr, i) => addresses.cidr(cidr, CIDRS_PATH.index(i)))
  if (cidrs.length < 2) return errors
  const families = cidrs.map(cidr => parseCidr(cidr)?.family)
  const bad = cidrs.find((_, i) => families[i] === undefined)
  if (bad !== undefined) {
    const why = `invalid CIDR address: ${bad}`
    errors.push({
      reason: 'InternalError',
      field: CIDRS_PATH.text,
      body: `Internal error: invalid PodCIDRs. failed to check with dual stack with error:${isSince(features.release, '1.32') ? `invalid CIDR[${cidrs.indexOf(bad)}]: <nil> (${why})` : why}`,
    })
  }
  if (cidrs.length > 2 || bad !== undefined || !families.includes(4) || !families.includes(6)) {
    errors.push(invalid(CIDRS_PATH, cidrs, 'may specify no more than one CIDR for each IP family'))
  }
  if (isSince(features.release, '1.33')) return errors
  const again = repeats(cidrs)
  return [...errors, ...cidrs.flatMap((cidr, i) => (again[i] ? [duplicate(CIDRS_PATH.index(i), cidr)] : []))]
}
