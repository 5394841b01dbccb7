import type { NetworkPolicyPeer, NetworkPolicyPort, NetworkPolicySpec } from '../../../api/networking/v1.types.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { fieldPath } from '../../../meta/field-path.ts'

/** A rule of either direction, with `from` or `to` as `peers`. */
interface DirectionRule {
  readonly path: FieldPath
  readonly ports: readonly NetworkPolicyPort[]
  readonly peers: readonly { readonly peer: NetworkPolicyPeer; readonly path: FieldPath }[]
}

const peersOf = (peers: readonly NetworkPolicyPeer[], path: FieldPath): DirectionRule['peers'] =>
  peers.map((peer, i) => ({ peer, path: path.index(i) }))

/** Returns all rules of a NetworkPolicySpec, ingress first. */
export function allRules({ ingress = [], egress = [] }: NetworkPolicySpec): DirectionRule[] {
  return [
    ...ingress.map(({ ports = [], from = [] }, i) => {
      const path = fieldPath('spec', 'ingress').index(i)
      return { path, ports, peers: peersOf(from, path.child('from')) }
    }),
    ...egress.map(({ ports = [], to = [] }, i) => {
      const path = fieldPath('spec', 'egress').index(i)
      return { path, ports, peers: peersOf(to, path.child('to')) }
    }),
  ]
}
