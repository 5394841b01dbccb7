import type { NodeSelector, NodeSelectorRequirement, NodeSelectorTerm } from '../../../api/core/v1.types.ts'
import type { AllocationResult, DeviceAllocationConfiguration, DeviceClass, ResourceClaim } from '../../../api/resource/v1beta2.types.ts'
import type { ChosenAlternative } from './device-search.ts'
import type { OfferedDevice } from './offered-devices.ts'

/** Returns the allocation of a claim, as its status has it. */
export function allocationResult(
  claim: ResourceClaim,
  chosen: readonly ChosenAlternative[],
  classOf: (name: string) => DeviceClass | undefined,
  { recordsTolerations }: { readonly recordsTolerations: boolean },
): AllocationResult {
  const results = chosen.flatMap(({ alternative: { name, adminAccess, tolerations }, devices }) =>
    devices.map(({ driver, pool, device }) => ({
      request: name,
      driver,
      pool,
      device: device.name,
      ...(adminAccess && { adminAccess }),
      ...(recordsTolerations && tolerations?.length && { tolerations: [...tolerations] }),
    })),
  )
  const config = [...classConfiguration(chosen, classOf), ...claimConfiguration(claim, chosen)]
  const nodeSelector = selectorOf(chosen.flatMap(({ devices }) => devices))
  return { devices: { results, ...(config.length > 0 && { config }) }, ...(nodeSelector && { nodeSelector }) }
}

/** Configuration of each class, once for all requests of the class. */
function classConfiguration(chosen: readonly ChosenAlternative[], classOf: (name: string) => DeviceClass | undefined): DeviceAllocationConfiguration[] {
  const requests = new Map<string, string[]>()
  for (const { alternative } of chosen) requests.set(alternative.className, [...(requests.get(alternative.className) ?? []), alternative.name])
  return [...requests].flatMap(([className, names]) =>
    (classOf(className)?.spec.config ?? []).map(config => ({ source: 'FromClass' as const, requests: names, ...config })),
  )
}

/** Configuration of the claim for the requests and alternatives that were chosen. */
const claimConfiguration = ({ spec }: ResourceClaim, chosen: readonly ChosenAlternative[]): DeviceAllocationConfiguration[] =>
  (spec.devices.config ?? []).flatMap(config => {
    const { requests = [] } = config
    const times =
      requests.length === 0 ? 1 : chosen.filter(({ alternative: { name, requestName } }) => requests.includes(name) || requests.includes(requestName)).length
    return Array.from({ length: times }, () => ({ source: 'FromClaim' as const, ...config }))
  })

/** Returns the nodes that can reach all devices. Undefined if every node can. Throws an Error if a selector has several terms. */
function selectorOf(devices: readonly OfferedDevice[]): NodeSelector | undefined {
  const [fields, expressions]: [NodeSelectorRequirement[], NodeSelectorRequirement[]] = [[], []]
  for (const { device, slice } of devices) {
    const { nodeName, nodeSelector } = slice.spec.perDeviceNodeSelection ? device : slice.spec
    if (nodeName) return { nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [nodeName] }] }] }
    const terms = nodeSelector?.nodeSelectorTerms ?? []
    if (terms.length > 1) throw new Error(`unsupported ResourceSlice.NodeSelector with ${terms.length} terms`)
    for (const { matchFields = [], matchExpressions = [] } of terms) {
      addRequirements(fields, matchFields)
      addRequirements(expressions, matchExpressions)
    }
  }
  if (fields.length === 0 && expressions.length === 0) return undefined
  const term: NodeSelectorTerm = { ...(expressions.length > 0 && { matchExpressions: expressions }), ...(fields.length > 0 && { matchFields: fields }) }
  return { nodeSelectorTerms: [term] }
}

const requirementKey = ({ key, operator, values = [] }: NodeSelectorRequirement): string => JSON.stringify([key, operator, [...new Set(values)].sort()])

function addRequirements(to: NodeSelectorRequirement[], added: readonly NodeSelectorRequirement[]): void {
  for (const requirement of added) if (!to.some(each => requirementKey(each) === requirementKey(requirement))) to.push(requirement)
}
