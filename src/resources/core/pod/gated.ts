import type { NodeAffinity, NodeSelectorTerm } from '../../../api/core/v1.types.ts'
import { deepEqual } from '../../../meta/equal.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { invalid } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { goMember, goValue } from '../../shared/go-values.ts'

/** Checks an update of the nodeSelector of a gated pod. Entries may only be added, which narrows down the nodes. */
export function validateNodeSelectorAdditions(
  next: Readonly<Record<string, string>>,
  old: Readonly<Record<string, string>>,
  path: FieldPath,
): FieldError[] {
  if (Object.entries(old).every(([key, value]) => Object.hasOwn(next, key) && next[key] === value)) return []
  return [
    invalid(
      path,
      goMember('core.PodSpec', 'nodeSelector', next),
      'only additions to spec.nodeSelector are allowed (no mutations or deletions)',
    ),
  ]
}

/**
 * Checks an update of the required node affinity of a gated pod. Terms may get more expressions, and none may be
 * removed: the pod may run on fewer nodes than before.
 */
export function validateNodeAffinityAdditions(
  next: NodeAffinity | undefined,
  old: NodeAffinity | undefined,
  path: FieldPath,
): FieldError[] {
  const field = 'requiredDuringSchedulingIgnoredDuringExecution'
  if (!old?.[field]) return []
  const before = old[field].nodeSelectorTerms ?? []
  const terms = next?.[field]?.nodeSelectorTerms
  const after = terms ?? []
  const at = path.child(field, 'nodeSelectorTerms')
  if (before.length > 0 && before.length !== after.length) {
    return [
      invalid(
        at,
        goMember('core.NodeSelector', 'nodeSelectorTerms', terms),
        'no additions/deletions to non-empty NodeSelectorTerms list are allowed',
      ),
    ]
  }
  return before.flatMap((term, i) => {
    const now = after[i]
    if (now && onlyAdds(now, term)) return []
    return [invalid(at.index(i), goValue('core.NodeSelectorTerm', now), 'only additions are allowed (no mutations or deletions)')]
  })
}

/** Requirements of a term are ANDed, so adding some narrows it. An empty term matches nothing and must stay empty. */
function onlyAdds(next: NodeSelectorTerm, old: NodeSelectorTerm): boolean {
  const lists = ['matchExpressions', 'matchFields'] as const
  if (lists.every(list => !old[list]?.length)) return lists.every(list => !next[list]?.length)
  return lists.every(list => {
    const before = old[list] ?? []
    return deepEqual((next[list] ?? []).slice(0, before.length), before)
  })
}
