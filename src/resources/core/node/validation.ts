import type { FieldError } from '../../../meta/field-error.ts'
import { duplicate, forbidden, invalid, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { isValidCIDR, parseCidr } from '../../../meta/ip.ts'
import { isValidLabelValue } from '../../../meta/names.ts'
import type { KubeObject } from '../../../meta/object.ts'
import { goValue } from '../../shared/go-values.ts'
import type { ApiStruct, Errors } from '../checks.ts'
import { checkQualifiedName, report } from '../checks.ts'
import { checkResourceQuantity } from '../pod-spec/resources.ts'
import { checkTaintEffect } from '../pod-spec/scheduling.ts'
import { checkNodeAnnotations } from './annotations.ts'
import { checkConfigSource, checkConfigStatus } from './config-source.ts'

const cidrsPath = fieldPath('spec', 'podCIDRs')
const CIDR_KEPT = 'node updates may not change podCIDR except from "" to valid'

/** ValidateNode, for creations and updates. */
export function validateNode(node: KubeObject): FieldError[] {
  const errors: Errors = []
  checkNodeAnnotations(node.metadata.annotations ?? {}, errors)
  checkTaints(node.spec?.taints ?? [], fieldPath('metadata', 'taints'), errors)
  checkAmounts(node, errors)
  checkCidrs(node.spec?.podCIDRs ?? [], errors)
  return errors
}

/** ValidateNodeUpdate, of the node and of its status. */
export function validateNodeUpdate(next: KubeObject, old: KubeObject): FieldError[] {
  const errors: Errors = []
  checkNodeAnnotations(next.metadata.annotations ?? {}, errors)
  checkAmounts(next, errors)
  const addresses = new Set<string>()
  const list: ApiStruct[] = next.status?.addresses ?? []
  for (const [i, { type, address }] of list.entries()) {
    const key = JSON.stringify([type, address])
    if (addresses.has(key)) errors.push(duplicate(fieldPath('status', 'addresses').index(i), goValue('core.NodeAddress', { type, address })))
    addresses.add(key)
  }
  const before: string[] = old.spec?.podCIDRs ?? []
  const cidrs: string[] = next.spec?.podCIDRs ?? []
  if (before.length > 0) {
    if (before.length !== cidrs.length) errors.push(forbidden(cidrsPath, CIDR_KEPT))
    else for (const [i, cidr] of before.entries()) if (cidr !== cidrs[i]) errors.push(forbidden(cidrsPath, CIDR_KEPT))
  }
  if (old.spec?.providerID && old.spec.providerID !== next.spec?.providerID) {
    errors.push(forbidden(fieldPath('spec', 'providerID'), 'node updates may not change providerID except from "" to valid'))
  }
  if (next.spec?.configSource) checkConfigSource(next.spec.configSource, fieldPath('spec', 'configSource'), errors)
  if (next.status?.config) checkConfigStatus(next.status.config, fieldPath('status', 'config'), errors)
  checkTaints(next.spec?.taints ?? [], fieldPath('metadata', 'taints'), errors)
  if ((next.spec?.externalID ?? '') !== (old.spec?.externalID ?? '')) errors.push(forbidden(fieldPath('spec', 'externalID'), 'may not be updated'))
  return errors
}

export function checkTaints(taints: readonly ApiStruct[], path: FieldPath, errors: Errors): void {
  const seen = new Set<string>()
  for (const [i, taint] of taints.entries()) {
    const at = path.index(i)
    const { key = '', value = '', effect = '' } = taint
    checkQualifiedName(key, at.child('key'), errors)
    const texts = isValidLabelValue(value)
    if (texts.length > 0) errors.push(invalid(at.child('value'), value, texts.join(';')))
    if (effect === '') errors.push(required(at.child('effect')))
    else checkTaintEffect(effect, at.child('effect'), errors)
    const pair = `${effect}/${key}`
    if (seen.has(pair)) {
      const twice = duplicate(at, goValue('core.Taint', taint))
      errors.push({ ...twice, body: `${twice.body}: taints must be unique by key and effect pair` })
    }
    seen.add(pair)
  }
}

/** The name of a resource is a step of the path here, whatever it contains. */
function checkAmounts(node: KubeObject, errors: Errors): void {
  for (const list of ['capacity', 'allocatable']) {
    const amounts: Record<string, string> = node.status?.[list] ?? {}
    for (const name in amounts) checkResourceQuantity(name, amounts[name] as string, fieldPath('status', list, name), errors)
  }
}

function checkCidrs(cidrs: readonly string[], errors: Errors): void {
  for (const [i, cidr] of cidrs.entries()) report(isValidCIDR(cidr), cidrsPath.index(i), cidr, errors)
  if (cidrs.length < 2) return
  const families = cidrs.map(cidr => parseCidr(cidr)?.family)
  const bad = cidrs.find((_, i) => families[i] === undefined)
  if (bad !== undefined) {
    errors.push({
      reason: 'InternalError',
      field: cidrsPath.text,
      body: `Internal error: invalid PodCIDRs. failed to check with dual stack with error:invalid CIDR address: ${bad}`,
    })
  }
  if (cidrs.length > 2 || bad !== undefined || !families.includes(4) || !families.includes(6)) {
    errors.push(invalid(cidrsPath, cidrs, 'may specify no more than one CIDR for each IP family'))
  }
  const seen = new Set<string>()
  for (const [i, cidr] of cidrs.entries()) {
    if (seen.has(cidr)) errors.push(duplicate(cidrsPath.index(i), cidr))
    seen.add(cidr)
  }
}
