import type { CustomResourceDefinitionNames } from '../api/apiextensions/v1.types.ts'
import { aggregate } from '../lib/aggregate.ts'
import { quote } from '../lib/go-quote.ts'
import { deepEqual } from '../meta/equal.ts'
import { conditionOf, type DefinitionCondition, type DefinitionHead } from './definition-conditions.ts'

/** Result of naming a definition. */
export interface Naming {
  readonly acceptedNames: CustomResourceDefinitionNames
  readonly conditions: readonly DefinitionCondition[]
}

/**
 * Decides which of the requested names a definition gets, and the conditions that report it. Undefined if nothing
 * changes. Accepted names are kept while the requested ones are used by another definition. @param others all other
 * definitions.
 */
export function nameDefinition(definition: DefinitionHead, others: readonly DefinitionHead[]): Naming | undefined {
  const { names: wanted } = definition.spec
  const { acceptedNames: accepted } = definition.status
  if (deepEqual(wanted, accepted)) return undefined
  const { resources, kinds } = takenNames([definition, ...others].filter(other => other.spec.group === definition.spec.group))
  const conflict = new Map<string, string>()
  const take = (name: string | undefined, own: string | undefined, taken: ReadonlySet<string>, reason: string): string | undefined => {
    if ((name ?? '') === (own ?? '') || !taken.has(name ?? '')) return name
    conflict.set(reason, `${quote(name ?? '')} is already in use`)
    return own
  }
  const plural = take(wanted.plural, accepted.plural, resources, 'PluralConflict') ?? ''
  const singular = take(wanted.singular, accepted.singular, resources, 'SingularConflict')
  const shortNames = takeShortNames(wanted, accepted, resources, conflict)
  const kind = take(wanted.kind, accepted.kind, kinds, 'KindConflict') ?? ''
  const listKind = take(wanted.listKind, accepted.listKind, kinds, 'ListKindConflict')
  const acceptedNames: CustomResourceDefinitionNames = {
    plural,
    ...(singular && { singular }),
    ...(shortNames && shortNames.length > 0 && { shortNames: [...shortNames] }),
    kind,
    ...(listKind && { listKind }),
    ...(wanted.categories && { categories: wanted.categories }),
  }
  // As upstream, the last conflict is reported.
  const [reason, message] = [...conflict].at(-1) ?? ['NoConflicts', 'no conflicts found']
  const naming: DefinitionCondition = { type: 'NamesAccepted', status: conflict.size > 0 ? 'False' : 'True', reason, message }
  const before = conditionOf(definition, 'NamesAccepted')
  const same = before?.status === naming.status && before.reason === reason && before.message === message
  if (same && deepEqual(acceptedNames, accepted)) return undefined
  return { acceptedNames, conditions: [naming, establishing(definition, conflict.size === 0)] }
}

/** Names that other definitions of the group have accepted. Each belongs to one kind. */
function takenNames(group: readonly DefinitionHead[]): { readonly resources: ReadonlySet<string>; readonly kinds: ReadonlySet<string> } {
  const resources = new Set<string>()
  const kinds = new Set<string>()
  for (const { status } of group) {
    const { acceptedNames: names } = status
    for (const name of [names.plural, names.singular ?? '', ...(names.shortNames ?? [])]) resources.add(name)
    for (const kind of [names.kind, names.listKind ?? '']) kinds.add(kind)
  }
  return { resources, kinds }
}

/** Returns the requested short names, or those accepted before if another kind has one of the requested. */
function takeShortNames(
  wanted: CustomResourceDefinitionNames,
  accepted: CustomResourceDefinitionNames,
  taken: ReadonlySet<string>,
  conflict: Map<string, string>,
): readonly string[] | undefined {
  const own = new Set(accepted.shortNames)
  const errors = (wanted.shortNames ?? []).filter(name => !own.has(name) && taken.has(name)).map(name => `${quote(name)} is already in use`)
  if (errors.length === 0) return wanted.shortNames
  conflict.set('ShortNamesConflict', aggregate(errors))
  return accepted.shortNames
}

/**
 * Condition Established. It never becomes false again. A kind is served from the moment its names are accepted, and
 * established after that.
 */
function establishing(definition: DefinitionHead, areAccepted: boolean): DefinitionCondition {
  const before = conditionOf(definition, 'Established')
  if (before?.status !== 'True' && areAccepted) {
    return { type: 'Established', status: 'False', reason: 'Installing', message: 'the initial names have been accepted' }
  }
  if (!before) return { type: 'Established', status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' }
  const { type, status, reason = '', message = '' } = before
  return { type, status, reason, message }
}
