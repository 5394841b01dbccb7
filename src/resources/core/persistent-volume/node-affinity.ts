import { deepEqual } from '../../../meta/equal.ts'
import type { ApiStruct } from '../checks.ts'

/** Labels of nodes that were beta once, and what they are called now. */
const RENAMED: Readonly<Record<string, string>> = {
  'failure-domain.beta.kubernetes.io/zone': 'topology.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region': 'topology.kubernetes.io/region',
  'beta.kubernetes.io/instance-type': 'node.kubernetes.io/instance-type',
  'beta.kubernetes.io/os': 'kubernetes.io/os',
  'beta.kubernetes.io/arch': 'kubernetes.io/arch',
}

/** Whether the affinity is what it was, but for labels that have got their new names. */
export function sameNodeAffinity(next: ApiStruct | undefined, old: ApiStruct | undefined): boolean {
  return deepEqual(next, old) || (next !== undefined && deepEqual(withOldNames(next, old), old))
}

function withOldNames(next: ApiStruct, old: ApiStruct | undefined): ApiStruct {
  const before: ApiStruct[] = old?.required?.nodeSelectorTerms ?? []
  const terms: ApiStruct[] = next.required?.nodeSelectorTerms ?? []
  const renamed = terms.map((term, i) => {
    const expressions: ApiStruct[] = term.matchExpressions ?? []
    const oldExpressions: ApiStruct[] = before[i]?.matchExpressions ?? []
    return {
      ...term,
      matchExpressions: expressions.map((expression, j) => {
        const key: string = oldExpressions[j]?.key ?? ''
        return Object.hasOwn(RENAMED, key) && RENAMED[key] === expression.key ? { ...expression, key } : expression
      }),
    }
  })
  return { ...next, required: { ...next.required, nodeSelectorTerms: renamed } }
}
