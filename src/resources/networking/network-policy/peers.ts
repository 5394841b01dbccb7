import type { FieldPath } from '../../../meta/field-path.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import type { KubeObject } from '../../../meta/object.ts'

type ApiStruct = KubeObject['spec']

/** A rule of either direction, its peers under one name. */
export interface Rule {
  readonly path: FieldPath
  readonly ports: readonly ApiStruct[]
  readonly peers: readonly { readonly peer: ApiStruct; readonly path: FieldPath }[]
}

function rulesOf(rules: readonly ApiStruct[] | undefined, path: FieldPath, member: 'from' | 'to'): Rule[] {
  return (rules ?? []).map((rule, i) => {
    const at = path.index(i)
    const peers: ApiStruct[] = rule[member] ?? []
    return { path: at, ports: rule.ports ?? [], peers: peers.map((peer, j) => ({ peer, path: at.child(member).index(j) })) }
  })
}

/** All rules of a NetworkPolicySpec, those of ingress first. */
export const allRules = (spec: ApiStruct): Rule[] => [
  ...rulesOf(spec?.ingress, fieldPath('spec', 'ingress'), 'from'),
  ...rulesOf(spec?.egress, fieldPath('spec', 'egress'), 'to'),
]
