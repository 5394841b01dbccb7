import type { NetworkPolicyPeer, NetworkPolicyPort, NetworkPolicySpec } from '../../../api/networking/v1.types.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { fieldPath } from '../../../meta/field-path.ts'

/** A rule of either direction, with `from` or `to` as `peers`. */
interface DirectionRule {
  readonly path: FieldPath
  readonly ports: readonly NetworkPolicyPort[]
  readonly peers: readonly NetworkPolicyPeer[]
  readonly peersPath: FieldPath
}

/** Returns all rules of a NetworkPolicySpec, ingress first. */
export function* allRules({ ingress = [], egress = [] }: NetworkPolicySpec): Generator<DirectionRule> {
  for (const [i, { ports = [], from = [] }] of ingress.entries()) {
    const path = fieldPath('spec', 'ingress').index(i)
    yield { path, ports, peers: from, peersPath: path.child('from') }
  }
  for (const [i, { ports = [], to = [] }] of egress.entries()) {
    const path = fieldPath('spec', 'egress').index(i)
    yield { path, ports, peers: to, peersPath: path.child('to') }
  }
}
