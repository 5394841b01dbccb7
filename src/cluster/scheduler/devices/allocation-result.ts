import type { NodeSelector, NodeSelectorRequirement, NodeSelectorTerm } from '../../../api/core/v1.types.ts'
import type {
  AllocationResult,
  DeviceAllocationConfiguration,
  DeviceClass,
  DeviceRequestAllocationResult,
  ResourceClaim,
} from '../../../api/resource/v1beta2.types.ts'
import { consumedAmounts } from './capacity-requests.ts'
import type { RequestAlternative } from './claim-requests.ts'
import type { ChosenAlternative } from './device-search.ts'
import type { OfferedDevice } from './offered-devices.ts'
import { isShareable, type SharingRules } from './shared-capacities.ts'

/** Rules of a release for results. */
export interface ResultRules extends SharingRules {
  /** Whether results have the tolerations of their requests. */
  readonly recordsTolerations: boolean
  /**
   * Whether results name the operations of nodes that their devices do not need. Gate DRAOptionalNodeOperations.
   */
  readonly optionalNodeOperations: boolean
}

/** Share of a device that has no identity yet. `withShareIds` gives it one. */
const NEW_SHARE = ''

/** Returns an allocation whose new shares of devices have identities. */
export function withShareIds(allocation: AllocationResult, newId: () => string): AllocationResult {
  const { results = [] } = allocation.devices
  if (!results.some(({ shareID }) => shareID === NEW_SHARE)) return allocation
  return {
    ...allocation,
    devices: { ...allocation.devices, results: results.map(each => (each.shareID === NEW_SHARE ? { ...each, shareID: newId() } : each)) },
  }
}

/** Returns the allocation of a claim on a node, as its status has it, but for the identities of shares. */
export function allocationResult(
  claim: ResourceClaim,
  chosen: readonly ChosenAlternative[],
  classOf: (name: string) => DeviceClass | undefined,
  node: string,
  rules: ResultRules,
): AllocationResult {
  const results = chosen.flatMap(({ alternative, devices }) => devices.map(device => deviceResult(alternative, device, rules)))
  const config = [...classConfiguration(chosen, classOf), ...claimConfiguration(claim, chosen)]
  const nodeSelector = selectorOf(
    chosen.flatMap(({ devices }) => devices),
    node,
  )
  return { devices: { results, ...(config.length > 0 && { config }) }, ...(nodeSelector && { nodeSelector }) }
}

function deviceResult(
  { name, adminAccess, tolerations, capacity }: RequestAlternative,
  offered: OfferedDevice,
  rules: ResultRules,
): DeviceRequestAllocationResult {
  const { driver, pool, device, slice } = offered
  const { skipNodeOperations = [] } = rules.optionalNodeOperations ? slice.spec : {}
  const amounts = isShareable(offered, rules) ? consumedAmounts(capacity, device, rules) : undefined
  const { bindingConditions, bindingFailureConditions } = device
  return {
    request: name,
    driver,
    pool,
    device: device.name,
    ...(adminAccess && { adminAccess }),
    ...(rules.recordsTolerations && tolerations?.length && { tolerations: [...tolerations] }),
    ...(bindingConditions?.length && { bindingConditions }),
    ...(bindingConditions?.length && bindingFailureConditions?.length && { bindingFailureConditions }),
    ...(amounts && { shareID: NEW_SHARE }),
    ...(skipNodeOperations.length > 0 && { skipNodeOperations: [...skipNodeOperations] }),
    ...(amounts &&
      amounts.size > 0 && { consumedCapacity: Object.fromEntries([...amounts].map(([key, { canonical }]) => [key, canonical])) }),
  }
}

/** Configuration of each class, once for all requests of the class. */
function classConfiguration(
  chosen: readonly ChosenAlternative[],
  classOf: (name: string) => DeviceClass | undefined,
): DeviceAllocationConfiguration[] {
  const requests = new Map<string, string[]>()
  for (const { alternative } of chosen)
    requests.set(alternative.className, [...(requests.get(alternative.className) ?? []), alternative.name])
  return [...requests].flatMap(([className, names]) =>
    (classOf(className)?.spec.config ?? []).map(config => ({ source: 'FromClass' as const, requests: names, ...config })),
  )
}

/** Configuration of the claim for the requests and alternatives that were chosen. */
const claimConfiguration = ({ spec }: ResourceClaim, chosen: readonly ChosenAlternative[]): DeviceAllocationConfiguration[] =>
  (spec.devices.config ?? []).flatMap(config => {
    const { requests = [] } = config
    const times =
      requests.length === 0
        ? 1
        : chosen.filter(({ alternative: { name, requestName } }) => requests.includes(name) || requests.includes(requestName)).length
    return Array.from({ length: times }, () => ({ source: 'FromClaim' as const, ...config }))
  })

/**
 * Returns the nodes that can reach all devices that were chosen on a node. Undefined if every node can. Throws an Error
 * if a selector has several terms.
 */
function selectorOf(devices: readonly OfferedDevice[], node: string): NodeSelector | undefined {
  const [fields, expressions]: [NodeSelectorRequirement[], NodeSelectorRequirement[]] = [[], []]
  for (const { device, slice } of devices) {
    const { nodeName, nodeSelector } = slice.spec.perDeviceNodeSelection ? device : slice.spec
    if (nodeName || device.bindsToNode)
      return { nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }] }] }
    const terms = nodeSelector?.nodeSelectorTerms ?? []
    if (terms.length > 1) throw new Error(`unsupported ResourceSlice.NodeSelector with ${terms.length} terms`)
    for (const { matchFields = [], matchExpressions = [] } of terms) {
      addRequirements(fields, matchFields)
      addRequirements(expressions, matchExpressions)
    }
  }
  if (fields.length === 0 && expressions.length === 0) return undefined
  const term: NodeSelectorTerm = {
    ...(expressions.length > 0 && { matchExpressions: expressions }),
    ...(fields.length > 0 && { matchFields: fields }),
  }
  return { nodeSelectorTerms: [term] }
}

const requirementKey = ({ key, operator, values = [] }: NodeSelectorRequirement): string =>
  JSON.stringify([key, operator, [...new Set(values)].sort()])

function addRequirements(to: NodeSelectorRequirement[], added: readonly NodeSelectorRequirement[]): void {
  for (const requirement of added) if (!to.some(each => requirementKey(each) === requirementKey(requirement))) to.push(requirement)
}
