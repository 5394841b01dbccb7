import type { NetworkPolicy } from '../../../api/networking/v1.types.ts'

/** Sets defaults. Policy types are Ingress, and Egress if there are egress rules. */
export function setNetworkPolicyDefaults({ spec }: NetworkPolicy): void {
  for (const rule of [...(spec.ingress ?? []), ...(spec.egress ?? [])]) {
    for (const port of rule.ports ?? []) port.protocol ??= 'TCP'
  }
  if ((spec.policyTypes ?? []).length === 0)
    spec.policyTypes = ['Ingress', ...((spec.egress ?? []).length > 0 ? (['Egress'] as const) : [])]
}
