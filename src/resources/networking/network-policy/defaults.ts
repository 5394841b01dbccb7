import type { KubeObject } from '../../../meta/object.ts'

/** A policy is about ingress unless it says otherwise, and about egress if it has rules for it. */
export function setNetworkPolicyDefaults({ spec }: KubeObject): void {
  if (!spec) return
  for (const rule of [...(spec.ingress ?? []), ...(spec.egress ?? [])]) {
    for (const port of rule.ports ?? []) port.protocol ??= 'TCP'
  }
  if ((spec.policyTypes ?? []).length === 0) spec.policyTypes = (spec.egress ?? []).length > 0 ? ['Ingress', 'Egress'] : ['Ingress']
}
