import { deepEqual } from '../../../meta/equal.ts'
import { invalid } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { goMember, goValue } from '../../shared/go-values.ts'
import type { ApiStruct, Errors } from '../checks.ts'

/** What may change of a pod that a scheduling gate holds back: where it may run may become narrower. */
export function checkNodeSelectorAdditions(
  next: Readonly<Record<string, string>>,
  old: Readonly<Record<string, string>>,
  path: FieldPath,
  errors: Errors,
): void {
  if (Object.entries(old).every(([key, value]) => Object.hasOwn(next, key) && next[key] === value)) return
  errors.push(invalid(path, goMember('core.PodSpec', 'nodeSelector', next), 'only additions to spec.nodeSelector are allowed (no mutations or deletions)'))
}

export function checkNodeAffinityAdditions(next: ApiStruct, old: ApiStruct, path: FieldPath, errors: Errors): void {
  const field = 'requiredDuringSchedulingIgnoredDuringExecution'
  if (!old?.[field]) return
  const before: ApiStruct[] = old[field].nodeSelectorTerms ?? []
  const after: ApiStruct[] = next?.[field]?.nodeSelectorTerms ?? []
  const at = path.child(field, 'nodeSelectorTerms')
  if (before.length > 0 && before.length !== after.length) {
    return void errors.push(
      invalid(at, goMember('core.NodeSelector', 'nodeSelectorTerms', after), 'no additions/deletions to non-empty NodeSelectorTerms list are allowed'),
    )
  }
  before.forEach((term, i) => {
    if (!onlyAdds(after[i], term))
      errors.push(invalid(at.index(i), goValue('core.NodeSelectorTerm', after[i]), 'only additions are allowed (no mutations or deletions)'))
  })
}

/** Requirements of a term are ANDed: more of them narrow it. An empty term matches nothing and stays so. */
function onlyAdds(next: ApiStruct, old: ApiStruct): boolean {
  const lists = ['matchExpressions', 'matchFields']
  if (lists.every(list => !old[list]?.length)) return lists.every(list => !next[list]?.length)
  return lists.every(list => {
    const before: ApiStruct[] = old[list] ?? []
    return deepEqual((next[list] ?? []).slice(0, before.length), before)
  })
}
