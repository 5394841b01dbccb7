import type { KubeObject } from '../../../meta/object.ts'

type ApiStruct = KubeObject['spec']

const devicesOf = (slice: KubeObject | undefined): ApiStruct[] => slice?.spec?.devices ?? []
const OF_PARTS = ['consumesCounters', 'nodeName', 'nodeSelector', 'allNodes'] as const

const hasParts = (slice: KubeObject | undefined): boolean =>
  (slice?.spec?.sharedCounters ?? []).length > 0 ||
  slice?.spec?.perDeviceNodeSelection !== undefined ||
  devicesOf(slice).some(device => (device.consumesCounters ?? []).length > 0 || OF_PARTS.slice(1).some(member => device[member] !== undefined))

/** Taints, and devices that are parts of others, are alpha in this release; a slice that has them keeps them. */
export function dropAlphaOfSlice(next: KubeObject, old: KubeObject | undefined): void {
  if (!devicesOf(old).some(({ taints }) => (taints ?? []).length > 0)) for (const device of devicesOf(next)) delete device.taints
  if (hasParts(old) || !next.spec) return
  delete next.spec.sharedCounters
  delete next.spec.perDeviceNodeSelection
  for (const device of devicesOf(next)) for (const member of OF_PARTS) delete device[member]
}
