import type { CompositePodGroupTemplate, PodGroupTemplate, Workload, WorkloadSpec } from '../../../api/scheduling/v1beta1.types.ts'
import { deepEqual } from '../../../meta/equal.ts'
import { duplicate, type FieldError, forbidden, immutableError, invalid, tooMany } from '../../../meta/field-error.ts'
import { type FieldPath, fieldPath } from '../../../meta/field-path.ts'
import { goMember } from '../../shared/go-values.ts'
import { validateUnion } from '../../shared/union-members.ts'
import { validateControllerRef, validateLabel, validateNamed } from '../pod-groups.ts'
import { validateGroup } from './group-rules.ts'

/** Limit on each list. */
const MOST_TEMPLATES = 8
/** Levels of templates, those of groups of pods included. */
const MOST_LEVELS = 4
/**
 * If there are more levels, no other rule is checked: errors of thousands of levels, with as long paths, take seconds.
 */
const MOST_CHECKED_LEVELS = 32
/** Root of the paths of errors. */
const SPEC_PATH = fieldPath('spec')
/** Member with templates of groups of groups. */
const COMPOSITES = 'compositePodGroupTemplates'
/** Member with templates of groups of pods. */
const GROUPS = 'podGroupTemplates'

type Template = PodGroupTemplate | CompositePodGroupTemplate

/** A workload or a template of a group of groups. */
interface Parent {
  /** Optional. Templates of groups of pods. Null counts as empty. */
  readonly podGroupTemplates?: readonly PodGroupTemplate[] | null
  /** Optional. Templates of groups of groups, each of which is a parent again. */
  readonly compositePodGroupTemplates?: readonly CompositePodGroupTemplate[]
}

/** Validates a list of templates. An update may change them, but neither adds nor removes one. */
function validateTemplates<T extends Template>(
  templates: readonly T[],
  old: readonly T[] | undefined,
  path: FieldPath,
  check: (template: T, old: T | undefined, at: FieldPath) => FieldError[],
): FieldError[] {
  if (old && deepEqual(templates, old)) return []
  if (templates.length > MOST_TEMPLATES) return [tooMany(path, templates.length, MOST_TEMPLATES)]
  const before = new Map(old?.map(template => [template.name, template]))
  const names = new Set(templates.map(({ name }) => name))
  return [
    ...(old ? templates.flatMap(({ name }, i) => (before.has(name) ? [] : [forbidden(path.index(i), 'item may not be added')])) : []),
    ...(old ?? []).flatMap(({ name }) => (names.has(name) ? [] : [forbidden(path, 'item may not be removed')])),
    ...validateNamed(templates, path, (template, at) => check(template, before.get(template.name), at)),
  ]
}

const validateTemplate = (template: Template, old: Template | undefined, path: FieldPath): FieldError[] => [
  ...(old ? [] : validateLabel(template.name, path.child('name'))),
  ...validateGroup(template, old, path),
]

const validateComposite = (
  template: CompositePodGroupTemplate,
  old: CompositePodGroupTemplate | undefined,
  path: FieldPath,
): FieldError[] => [...validateTemplate(template, old, path), ...validateChildren(template, old, path)]

const validateChildren = (next: Parent, old: Parent | undefined, path: FieldPath): FieldError[] => [
  ...validateTemplates(next.podGroupTemplates ?? [], old && (old.podGroupTemplates ?? []), path.child(GROUPS), validateTemplate),
  ...validateTemplates(
    next.compositePodGroupTemplates ?? [],
    old && (old.compositePodGroupTemplates ?? []),
    path.child(COMPOSITES),
    validateComposite,
  ),
]

/**
 * Checks that templates in different lists have different names. `lists` has the path of the list in which each name
 * was first found.
 */
function validateNames(templates: readonly CompositePodGroupTemplate[], path: FieldPath, lists = new Map<string, string>()): FieldError[] {
  const take = ({ name }: Template, list: FieldPath, i: number): FieldError[] => {
    if ((lists.get(name) ?? list.text) !== list.text) return [duplicate(list.index(i).child('name'), name)]
    lists.set(name, list.text)
    return []
  }
  return templates.flatMap((template, i) => {
    const at = path.index(i)
    return [
      ...take(template, path, i),
      ...validateNames(template.compositePodGroupTemplates ?? [], at.child(COMPOSITES), lists),
      ...(template.podGroupTemplates ?? []).flatMap((group, k) => take(group, at.child(GROUPS), k)),
    ]
  })
}

const levelsOf = ({ compositePodGroupTemplates = [] }: CompositePodGroupTemplate): number =>
  1 + Math.max(0, ...compositePodGroupTemplates.map(levelsOf))

const validateLevels = (templates: readonly CompositePodGroupTemplate[], path: FieldPath): FieldError[] =>
  templates.flatMap((template, i) => {
    if (levelsOf(template) < MOST_LEVELS) return []
    const shown = goMember('schedulingV1beta1.CompositePodGroupTemplate', COMPOSITES, template.compositePodGroupTemplates)
    return [invalid(path.index(i), shown, `maximum template hierarchy depth is ${MOST_LEVELS}`)]
  })

/** Returns the templates of all levels. */
const allTemplates = ({ podGroupTemplates, compositePodGroupTemplates = [] }: Parent): readonly Template[] => [
  ...(podGroupTemplates ?? []),
  ...compositePodGroupTemplates.flatMap(template => [template, ...allTemplates(template)]),
]

/** Checks that all templates have the same priority. */
function validatePriorities(spec: WorkloadSpec): FieldError[] {
  const [first, ...others] = allTemplates(spec)
  const differ = others.some(
    ({ priorityClassName = '', priority }) => priorityClassName !== (first?.priorityClassName ?? '') || priority !== first?.priority,
  )
  return differ ? [invalid(SPEC_PATH, null, 'detected multiple priority configurations')] : []
}

/** Checks that a workload has templates of one kind. */
function validateOneKind({ podGroupTemplates, compositePodGroupTemplates }: WorkloadSpec): FieldError[] {
  const filled = {
    ...(podGroupTemplates?.length && { podGroupTemplates }),
    ...(compositePodGroupTemplates?.length && { compositePodGroupTemplates }),
  }
  return validateUnion(filled, [GROUPS, COMPOSITES], SPEC_PATH)
}

/** Validates the reference to the owner on create. It is immutable afterwards. */
function validateOwner({ controllerRef }: WorkloadSpec, old: WorkloadSpec | undefined): FieldError[] {
  const path = SPEC_PATH.child('controllerRef')
  if (old) return deepEqual(controllerRef, old.controllerRef) ? [] : [immutableError(path, undefined)]
  return controllerRef ? validateControllerRef(controllerRef, path) : []
}

/**
 * Validates a workload by the rules of 1.37. It has templates of groups of pods or of groups of groups. Source:
 * pkg/apis/scheduling/validation in k8s.io/kubernetes, and declarative validation of scheduling.k8s.io/v1beta1.
 */
export function validateBetaWorkload({ spec }: Workload, old: Workload | undefined): FieldError[] {
  const { podGroupTemplates, compositePodGroupTemplates = [] } = spec
  const path = SPEC_PATH.child(COMPOSITES)
  if (compositePodGroupTemplates.some(template => levelsOf(template) > MOST_CHECKED_LEVELS))
    return validateLevels(compositePodGroupTemplates, path)
  return [
    ...(podGroupTemplates?.length ? [] : validateNames(compositePodGroupTemplates, path)),
    ...validateLevels(compositePodGroupTemplates, path),
    ...validatePriorities(spec),
    ...(old && deepEqual(spec, old.spec) ? [] : validateOneKind(spec)),
    ...validateOwner(spec, old?.spec),
    ...validateChildren(spec, old?.spec, SPEC_PATH),
  ]
}
