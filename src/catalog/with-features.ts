import type { Steps } from '../lib/steps.ts'
import type { Features } from '../lifecycle/gates.ts'
import { isSince, type Release } from '../lifecycle/release.ts'
import type { StructSchema } from '../schema/schema.ts'
import type { ResourceDefinition, Subresource, Version } from './definition.ts'

/** Release-dependent parts of kinds. */
export interface ReleaseParts {
  readonly features: Features
  /** Optional. Returns the type in the emulated release. Unset if that is the release in which kinds are defined. */
  readonly schemaOf?: (schema: StructSchema) => StructSchema
  /** Returns the storage version of the kind in the release, if it differs among releases. */
  readonly storedIn: (of: { readonly group: string; readonly resource: string; readonly kind: string }) => string | undefined
}

/** Returns the definition with the types of the release, and the defaults and subresources of the enabled features. */
export function withFeatures(definition: ResourceDefinition, release: ReleaseParts): ResourceDefinition {
  const { versions, unserved = [], hub, storage } = definition
  const all = [hub, ...versions, ...unserved, ...(storage ? [storage.version] : [])]
  const bound = new Map<Version, Version>(all.map(version => [version, bindVersion(version, release)]))
  const of = (version: Version): Version => bound.get(version) ?? version
  const stored =
    storage &&
    (all.find(({ name }) => name === release.storedIn({ group: hub.group, resource: hub.names.plural, kind: hub.kind })) ?? storage.version)
  if (stored === storage?.version && [...bound].every(([version, same]) => version === same)) return definition
  const [first, ...more] = versions
  return {
    ...definition,
    versions: [of(first), ...more.map(of)],
    hub: of(hub),
    ...(unserved.length > 0 && { unserved: unserved.map(of) }),
    ...(storage && stored && { storage: { ...storage, version: of(stored) } }),
  }
}

function isSubresourceServed({ gate, since, until }: Subresource, features: Features): boolean {
  if (gate !== undefined && !features.enabled(gate)) return false
  return (since === undefined || isSince(features.release, since)) && (until === undefined || !isSince(features.release, until))
}

function bindVersion(version: Version, { features, schemaOf }: ReleaseParts): Version {
  const { setDefaults, setGatedDefaults, subresources = {} } = version
  const table = version.tableIn?.(features.release)
  const selectableFields = selectableIn(version, features.release)
  const served = Object.entries(subresources).filter(([, subresource]) => isSubresourceServed(subresource, features))
  const same = served.length === Object.keys(subresources).length
  if (!setGatedDefaults && same && !schemaOf && !table && selectableFields === version.selectableFields) return version
  const typed = schemaOf ? served.map(([name, subresource]) => [name, withType(subresource, schemaOf)] as const) : served
  return {
    ...version,
    ...(schemaOf && { schema: schemaOf(version.schema), ...(version.listSchema && { listSchema: schemaOf(version.listSchema) }) }),
    ...(selectableFields && { selectableFields }),
    ...(table && { table }),
    ...(version.subresources && { subresources: Object.fromEntries(typed) }),
    ...(setGatedDefaults && {
      setDefaults(object) {
        const steps = setDefaults?.(object)
        if (steps) return then(steps, () => setGatedDefaults(object, features))
        return setGatedDefaults(object, features)
      },
    }),
  }
}

/** Returns the fields that the release may select by. */
function selectableIn({ selectableFields, selectableSince }: Version, release: Release): Version['selectableFields'] {
  if (!selectableFields || !selectableSince) return selectableFields
  const late = Object.entries(selectableSince).filter(([, since]) => !isSince(release, since))
  if (late.length === 0) return selectableFields
  return Object.fromEntries(Object.entries(selectableFields).filter(([field]) => !late.some(([name]) => name === field)))
}

const withType = (subresource: Subresource, schemaOf: (schema: StructSchema) => StructSchema): Subresource =>
  subresource.kind ? { ...subresource, kind: { ...subresource.kind, schema: schemaOf(subresource.kind.schema) } } : subresource

function* then(steps: Steps<void>, next: () => void): Steps<void> {
  yield* steps
  next()
}
